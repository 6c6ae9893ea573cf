//! The classes `NearDuplicate`, `Answer` and `Verdict`: what is like a document, and why.

use nddb::detect::outcome::PartedNearDuplicates;
use nddb::detect::{Judgement, NearDuplicate};
use nddb::{Outcome, ShownId};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use serde_json::Map;

use crate::convert;
use crate::errors::Result;
use crate::ids::{GivenId, id_object};

/// A stored near-duplicate: id, url, site, rule (what decided), distance, probability, scores, and in a Federation of
/// several databases db (the path of its database).
///
/// `scores` is a dictionary of distance, b_sim, c_sim, agreement, probability, resemblance, lcs, same_site and
/// same_heading; unknown ones are None.
#[pyclass(frozen, name = "NearDuplicate", module = "nddb")]
pub(crate) struct PyNearDuplicate {
    id: String,
    #[pyo3(get)]
    url: Option<String>,
    #[pyo3(get)]
    site: Option<String>,
    #[pyo3(get)]
    rule: String,
    #[pyo3(get)]
    distance: Option<u32>,
    #[pyo3(get)]
    probability: Option<f64>,
    #[pyo3(get)]
    scores: Py<PyDict>,
    #[pyo3(get)]
    db: Option<String>,
}

impl PyNearDuplicate {
    pub(crate) fn new(py: Python<'_>, found: &NearDuplicate, db: Option<String>) -> Result<Self> {
        let scores = scores(py, found)?;
        let (distance, probability) = distance_and_probability(scores.bind(py))?;
        Ok(Self {
            id: found.id.clone(),
            url: found.url.clone(),
            site: found.site.clone(),
            rule: found.verdict().into_owned(),
            distance,
            probability,
            scores,
            db,
        })
    }
}

/// The distance and the probability of these scores, where they are known.
fn distance_and_probability(scores: &Bound<'_, PyDict>) -> PyResult<(Option<u32>, Option<f64>)> {
    let distance = scores.get_item("distance")?.map(|value| value.extract()).transpose()?.flatten();
    let probability = scores.get_item("probability")?.map(|value| value.extract()).transpose()?.flatten();
    Ok((distance, probability))
}

/// All numbers that are known of a match; `None` where one is not known. The shares have six decimals, as in the
/// command.
fn scores(py: Python<'_>, found: &NearDuplicate) -> Result<Py<PyDict>> {
    let mut object = Map::new();
    object.insert("distance".into(), found.measures.count("distance").into());
    nddb_jobs::fields::add_evidence(&mut object, Some(found));
    let scores = convert::json(py, &object.into())?.cast_into::<PyDict>().map_err(PyErr::from)?;
    scores.del_item("rule")?;
    Ok(scores.unbind())
}

#[pymethods]
impl PyNearDuplicate {
    #[new]
    #[pyo3(signature = (id, rule, scores, url=None, site=None, db=None))]
    fn make(
        id: GivenId,
        rule: String,
        scores: Bound<'_, PyDict>,
        url: Option<String>,
        site: Option<String>,
        db: Option<String>,
    ) -> PyResult<Self> {
        let (distance, probability) = distance_and_probability(&scores)?;
        Ok(Self { id: id.into_stored(), url, site, rule, distance, probability, scores: scores.unbind(), db })
    }

    #[getter]
    fn id<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        id_object(py, &self.id)
    }

    /// A near-duplicate is pickled as its fields.
    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let Self { id, url, site, rule, scores, db, .. } = self;
        (id_object(py, id)?, rule, scores, url, site, db).into_pyobject(py)
    }

    /// Two are equal if all their fields are.
    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        self.__getnewargs__(py)?.eq(other.__getnewargs__(py)?)
    }

    fn __repr__(&self) -> String {
        format!("<NearDuplicate {:?} by {}>", ShownId(&self.id), self.rule)
    }
}

/// The near-duplicates of a document: a sequence of NearDuplicate, identical ones first, then by similarity.
///
/// `method` is the method that decided, `count` the number of matches; `complete` is False if a group limit left out
/// any.
#[pyclass(frozen, module = "nddb")]
pub(crate) struct Answer {
    matches: Py<PyList>,
    #[pyo3(get)]
    method: String,
    #[pyo3(get)]
    count: u64,
    #[pyo3(get)]
    complete: bool,
}

impl Answer {
    pub(crate) fn new(
        py: Python<'_>,
        method: &'static str,
        found: &PartedNearDuplicates,
        names: &[String],
        limit: Option<usize>,
    ) -> Result<Self> {
        let shown = found.matches.iter().take(limit.unwrap_or(usize::MAX));
        let matches = shown.map(|(part, found)| PyNearDuplicate::new(py, found, names.get(*part).cloned()));
        let matches = matches.collect::<Result<Vec<_>>>()?;
        let matches = PyList::new(py, matches)?.unbind();
        Ok(Self { matches, method: method.to_owned(), count: found.count, complete: found.complete })
    }
}

#[pymethods]
impl Answer {
    #[new]
    fn make(matches: Bound<'_, PyList>, method: String, count: u64, complete: bool) -> Self {
        Self { matches: matches.unbind(), method, count, complete }
    }

    /// An answer is pickled as its fields.
    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        (&self.matches, &self.method, self.count, self.complete).into_pyobject(py)
    }

    /// Two are equal if all their fields are.
    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        self.__getnewargs__(py)?.eq(other.__getnewargs__(py)?)
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.matches.bind(py).len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.matches.bind(py).as_any().get_item(index)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.matches.bind(py).as_any().try_iter()?.into_any())
    }

    /// The matches as a table, for notebooks.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let mut rows = String::new();
        for found in self.matches.bind(py) {
            let found = found.cast::<PyNearDuplicate>()?.get();
            let probability = found.probability.map_or_else(String::new, |share| format!("{share:.3}"));
            let cells = [ShownId(&found.id).as_str(), found.url.as_deref().unwrap_or(""), &found.rule, &probability];
            let cells: String = cells.iter().map(|cell| format!("<td>{}</td>", escaped(cell))).collect();
            rows += &format!("<tr>{cells}</tr>");
        }
        let names = "<tr><th>id</th><th>url</th><th>rule</th><th>probability</th></tr>";
        let told = format!("{} by {}", self.count, escaped(&self.method));
        Ok(format!("<p>near-duplicates: {told}</p><table><thead>{names}</thead><tbody>{rows}</tbody></table>"))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<Answer by {}: {}>", self.method, self.matches.bind(py).repr()?))
    }
}

/// The result of `Writer.add_if_new`.
///
/// `verdict` is new, replaced, unchanged or duplicate. For a duplicate, `of` is the id of the stored document, `rule`
/// what decided, and `scores` the numbers; otherwise these are None.
#[pyclass(frozen, module = "nddb")]
pub(crate) struct Verdict {
    #[pyo3(get)]
    verdict: String,
    of: Option<String>,
    #[pyo3(get)]
    rule: Option<String>,
    #[pyo3(get)]
    distance: Option<u32>,
    #[pyo3(get)]
    probability: Option<f64>,
    #[pyo3(get)]
    scores: Option<Py<PyDict>>,
    #[pyo3(get)]
    complete: bool,
}

impl Verdict {
    pub(crate) fn new(py: Python<'_>, judgement: &Judgement) -> Result<Self> {
        Ok(match judgement {
            Judgement::Inserted { outcome, complete } => Self {
                verdict: name(*outcome).into(),
                of: None,
                rule: None,
                distance: None,
                probability: None,
                scores: None,
                complete: *complete,
            },
            Judgement::Duplicate { of, complete } => {
                let found = PyNearDuplicate::new(py, of, None)?;
                Self {
                    verdict: "duplicate".into(),
                    of: Some(found.id),
                    rule: Some(found.rule),
                    distance: found.distance,
                    probability: found.probability,
                    scores: Some(found.scores),
                    complete: *complete,
                }
            }
        })
    }
}

/// The name of what became of a document.
pub(crate) fn name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::New => "new",
        Outcome::Replaced => "replaced",
        Outcome::Unchanged => "unchanged",
    }
}

#[pymethods]
impl Verdict {
    #[new]
    #[pyo3(signature = (verdict, complete, of=None, rule=None, scores=None))]
    fn make(
        verdict: String,
        complete: bool,
        of: Option<GivenId>,
        rule: Option<String>,
        scores: Option<Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let known = scores.as_ref().map(distance_and_probability).transpose()?;
        let (distance, probability) = known.unwrap_or_default();
        let of = of.map(GivenId::into_stored);
        Ok(Self { verdict, of, rule, distance, probability, scores: scores.map(Bound::unbind), complete })
    }

    #[getter]
    fn of<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.of.as_deref().map(|of| id_object(py, of)).transpose()
    }

    /// A verdict is pickled as its fields.
    fn __getnewargs__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        (&self.verdict, self.complete, self.of(py)?, &self.rule, &self.scores).into_pyobject(py)
    }

    /// Two are equal if all their fields are.
    fn __eq__(&self, py: Python<'_>, other: &Self) -> PyResult<bool> {
        self.__getnewargs__(py)?.eq(other.__getnewargs__(py)?)
    }

    /// Whether the document is a near-duplicate, and was not stored.
    #[getter]
    fn is_duplicate(&self) -> bool {
        self.of.is_some()
    }

    fn __repr__(&self) -> String {
        match (&self.of, &self.rule) {
            (Some(of), Some(rule)) => format!("<Verdict duplicate of {:?} by {rule}>", ShownId(of)),
            _ => format!("<Verdict {}>", self.verdict),
        }
    }
}

/// A text as HTML shows it.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
