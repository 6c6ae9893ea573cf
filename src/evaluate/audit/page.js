"use strict";
// Shows one pair after the other, keeps the answers in the browser, and writes them as a label file.
(() => {
  const find = (id) => document.getElementById(id);
  const main = find("pairs");
  const audit = main.dataset.audit;
  const key = "nddb audit " + audit;
  // Indexes of pairs in the order in which they are asked for; some come twice.
  const order = main.dataset.order === "" ? [] : main.dataset.order.split(" ").map(Number);
  const questions = ["same", "lost", "good"];
  // By place in the order: the answers y, n or u to each question.
  let answers = {};
  let place = 0;

  const trouble = (text) => {
    find("trouble").textContent = text;
    find("trouble").hidden = false;
  };
  const save = () => {
    try {
      localStorage.setItem(key, JSON.stringify({ answers, place }));
    } catch (error) {
      trouble("This browser does not keep the answers: download the labels before you close the page.");
    }
  };
  const load = () => {
    try {
      const kept = JSON.parse(localStorage.getItem(key) || "{}");
      answers = kept.answers || {};
      place = Math.min(Math.max(kept.place | 0, 0), order.length);
    } catch (error) {
      trouble("This browser does not keep the answers: download the labels before you close the page.");
    }
  };
  const given = (at, question) => (answers[at] || {})[question] || "";
  const isAnswered = (at) => questions.every((question) => given(at, question) !== "");
  const answered = () => order.filter((_, at) => isAnswered(at)).length;

  // What a pair differs in: what was chosen, or else the guess.
  const differs = (at) => given(at, "differs") || find("p" + order[at]).dataset.guess;

  const show = () => {
    const isDone = place >= order.length;
    for (const section of main.children) section.hidden = true;
    if (!isDone) find("p" + order[place]).hidden = false;
    find("done").hidden = !isDone;
    find("questions").hidden = isDone;
    find("back").disabled = place === 0;
    const open = questions.find((question) => given(place, question) === "");
    find("questions").classList.toggle("asks", open !== undefined);
    for (const question of questions) {
      const field = find(question);
      field.classList.toggle("open", question === open);
      for (const button of field.querySelectorAll("button")) {
        button.setAttribute("aria-pressed", String(given(place, question) === button.dataset.answer));
      }
    }
    if (!isDone && find("differs")) {
      for (const button of find("differs").querySelectorAll("button")) {
        button.setAttribute("aria-pressed", String(differs(place) === button.dataset.answer));
      }
    }
    find("where").textContent = isDone ? "the end" : place + 1 + " of " + order.length;
    find("progress").value = answered();
    find("count").textContent = answered() + " of " + order.length + " answered";
    if (place > 0) find("how").open = false;
    window.scrollTo(0, 0);
  };
  const go = (to) => {
    place = Math.min(Math.max(to, 0), order.length);
    save();
    show();
  };
  const answer = (question, word) => {
    answers[place] = Object.assign({}, answers[place], { [question]: word });
    if (question !== "differs" && isAnswered(place)) go(place + 1);
    else go(place);
  };

  // The label file: a line for each pair that was answered.
  const labels = () => {
    const places = new Map();
    order.forEach((pair, at) => places.set(pair, (places.get(pair) || []).concat(at)));
    const lines = [main.dataset.columns];
    for (const pair of Array.from(places.keys()).sort((a, b) => a - b)) {
      const [first, second] = places.get(pair).filter(isAnswered);
      if (first === undefined) continue;
      const [words, again] = [first, second].map((at) => questions.map((question) => given(at, question)));
      // Two answers that differ decide nothing.
      const isDoubtful = again[0] !== "" && again[0] !== words[0];
      const label = isDoubtful ? "u" : { y: "1", n: "0", u: "u" }[words[0]];
      const data = find("p" + pair).dataset;
      lines.push([data.id1, data.id2, label, ...words, ...again, differs(first), data.more].join("\t"));
    }
    return lines.join("\n") + "\n";
  };
  const download = () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([labels()], { type: "text/tab-separated-values" }));
    link.download = "labels-" + audit + ".tsv";
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  };

  for (const question of [...questions, "differs"].filter(find)) {
    for (const button of find(question).querySelectorAll("button")) {
      button.addEventListener("click", () => answer(question, button.dataset.answer));
    }
  }
  find("back").addEventListener("click", () => go(place - 1));
  find("next").addEventListener("click", () => go(place + 1));
  find("download").addEventListener("click", download);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const open = questions.find((question) => given(place, question) === "") || questions[0];
    const word = event.key.toLowerCase();
    if (event.key === "ArrowLeft") go(place - 1);
    else if (event.key === "ArrowRight") go(place + 1);
    else if (event.key === "Backspace") {
      delete answers[place];
      go(place);
    } else if (word === "d") download();
    else if (["y", "n", "u"].includes(word) && place < order.length) answer(open, word);
    else return;
    event.preventDefault();
  });
  find("progress").max = order.length;
  // On a phone there is room for both pages alone.
  if (window.innerWidth <= 700) find("how").open = false;
  load();
  show();
})();
