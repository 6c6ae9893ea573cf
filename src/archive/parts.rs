//! Texts in several parts: several fields, lists of paragraphs, and the messages of chats.
//!
//! A message is an object with a role (`role` or `from`) and a content (`content`, `value` or `text`), which is a text
//! or a list of parts with texts. A chat as a whole is `role: content` for each message; `messages.user` names the
//! contents of one role alone.

use serde_json::Value;

const ROLE: [&str; 2] = ["role", "from"];
const CONTENT: [&str; 3] = ["content", "value", "text"];

/// Joins parts that are not empty, as paragraphs.
pub(crate) fn join(parts: impl IntoIterator<Item = String>) -> String {
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n\n")
}

/// Returns the text of a message; `None` if it is not of the only role that is wanted.
pub(crate) fn message(role: Option<&str>, content: String, only: Option<&str>) -> Option<String> {
    match (role, only) {
        (role, Some(only)) => (role == Some(only)).then_some(content),
        (Some(role), None) if !content.is_empty() => Some(format!("{role}: {content}")),
        _ => Some(content),
    }
}

/// Returns the text of a list: of texts, or of messages, all or those of one role. `None` if it is another list, or no
/// message has the role.
pub(crate) fn of_list(items: &[Value], only: Option<&str>) -> Option<String> {
    let mut parts = Vec::new();
    let mut is_found = only.is_none();
    for item in items {
        let part = match item {
            Value::String(text) if only.is_none() => Some(text.clone()),
            Value::Object(_) => {
                let found = |names: &[&str]| names.iter().find_map(|name| item.get(name));
                let content = match found(&CONTENT)? {
                    Value::String(text) => text.clone(),
                    Value::Array(parts) => of_list(parts, None)?,
                    _ => String::new(),
                };
                message(found(&ROLE).and_then(Value::as_str), content, only)
            }
            Value::Null => None,
            _ => return None,
        };
        is_found |= part.is_some();
        parts.extend(part);
    }
    is_found.then(|| join(parts))
}

/// What a column in the objects of a list is.
#[cfg(feature = "parquet")]
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OfMessage {
    Role,
    Content,
}

#[cfg(feature = "parquet")]
impl OfMessage {
    pub(crate) fn of_name(name: &str) -> Option<Self> {
        let is_role = ROLE.contains(&name).then_some(Self::Role);
        is_role.or(CONTENT.contains(&name).then_some(Self::Content))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(json: &str, only: Option<&str>) -> Option<String> {
        let Value::Array(items) = serde_json::from_str(json).expect("JSON") else { panic!("{json}") };
        of_list(&items, only)
    }

    #[test]
    fn lists_of_texts_and_of_messages_are_texts() {
        assert_eq!(text(r#"["one", "", "two", null]"#, None).as_deref(), Some("one\n\ntwo"));
        let chat = r#"[{"role":"system","content":"Be short."},{"role":"user","content":"Why?"},
            {"role":"assistant","content":[{"type":"text","text":"So."},{"type":"image","text":null}]}]"#;
        assert_eq!(text(chat, None).as_deref(), Some("system: Be short.\n\nuser: Why?\n\nassistant: So."));
        assert_eq!(text(chat, Some("user")).as_deref(), Some("Why?"));
        assert_eq!(text(chat, Some("tool")), None);
        let other = r#"[{"from":"human","value":"A"},{"from":"gpt","value":"B"}]"#;
        assert_eq!(text(other, None).as_deref(), Some("human: A\n\ngpt: B"));
        for neither in ["[1]", r#"[{"a":"b"}]"#, "[[\"x\"]]"] {
            assert_eq!(text(neither, None), None, "{neither}");
        }
    }
}
