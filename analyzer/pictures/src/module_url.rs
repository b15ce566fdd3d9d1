//! A JavaScript module as a `data:` URL: a page opened from disk may not load files.

use std::fmt::Write;

pub fn module_url(text: &str) -> String {
    let mut url = String::from("data:text/javascript;charset=utf-8,");
    for byte in text.bytes() {
        let _ = match byte {
            b'a'..=b'z'
            | b'A'..=b'Z'
            | b'0'..=b'9'
            | b' '
            | b'\''
            | b'('
            | b')'
            | b'*'
            | b'-'
            | b'.'
            | b'/'
            | b':'
            | b';'
            | b'='
            | b'_'
            | b'{'
            | b'}'
            | b','
            | b'!'
            | b'+'
            | b'['
            | b']' => write!(url, "{}", byte as char),
            byte => write!(url, "%{byte:02X}"),
        };
    }
    url
}

#[cfg(test)]
mod tests {
    use super::module_url;

    #[test]
    fn nothing_of_a_module_ends_the_script_it_stands_in() {
        assert_eq!(
            module_url("a < b\n\"c\" # d % é"),
            "data:text/javascript;charset=utf-8,a %3C b%0A%22c%22 %23 d %25 %C3%A9"
        );
    }
}
