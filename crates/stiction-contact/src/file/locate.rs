//! Finds the line of a field in a well-formed JSON text.

/// The line (from 1) where the value at a path such as `bodies[2].mass` begins.
pub fn line(text: &str, path: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    for step in path.split(['.', '[']).filter(|s| !s.is_empty()) {
        at = match step.strip_suffix(']') {
            Some(index) => element(bytes, at, index.parse().ok()?)?,
            None => member(bytes, at, step)?,
        };
    }
    let at = skip_space(bytes, at);
    Some(1 + text.get(..at)?.matches('\n').count())
}

fn skip_space(text: &[u8], mut at: usize) -> usize {
    while text.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// The position after the string that begins here.
fn skip_string(text: &[u8], mut at: usize) -> Option<usize> {
    at += 1;
    loop {
        match *text.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The position after the value that begins here.
fn skip_value(text: &[u8], at: usize) -> Option<usize> {
    let mut at = skip_space(text, at);
    let mut depth = 0;
    loop {
        match *text.get(at)? {
            b'"' => at = skip_string(text, at)?,
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' if depth > 0 => {
                depth -= 1;
                at += 1;
            }
            b',' | b'}' | b']' if depth == 0 => return Some(at),
            _ => at += 1,
        }
        if depth == 0 && matches!(text.get(at), None | Some(b',' | b'}' | b']')) {
            return Some(at);
        }
    }
}

fn element(text: &[u8], at: usize, index: usize) -> Option<usize> {
    let mut at = skip_space(text, at);
    if text.get(at) != Some(&b'[') {
        return None;
    }
    at += 1;
    for _ in 0..index {
        at = skip_space(text, skip_value(text, at)?);
        if text.get(at) != Some(&b',') {
            return None;
        }
        at += 1;
    }
    Some(at)
}

fn member(text: &[u8], at: usize, name: &str) -> Option<usize> {
    let mut at = skip_space(text, at);
    if text.get(at) != Some(&b'{') {
        return None;
    }
    loop {
        at = skip_space(text, at + 1);
        if text.get(at) != Some(&b'"') {
            return None;
        }
        let end = skip_string(text, at)?;
        let found = &text[at + 1..end - 1] == name.as_bytes();
        at = skip_space(text, end) + 1; // the colon
        if found {
            return Some(at);
        }
        at = skip_space(text, skip_value(text, at)?);
        if text.get(at) != Some(&b',') {
            return None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn a_field_is_found_past_strings_and_nested_lists() {
        let text =
            "{\n \"a\": \"x,}\\\"\",\n \"b\": [ {\"c\": [1, 2]},\n  {\"c\": 3,\n   \"d\": 4} ]\n}";
        assert_eq!(line(text, "b"), Some(3));
        assert_eq!(line(text, "b[1].c"), Some(4));
        assert_eq!(line(text, "b[1].d"), Some(5));
        assert_eq!(line(text, "b[2].d"), None);
        assert_eq!(line(text, "b[0].e"), None);
    }
}
