//! What is code and what is not, in several languages.

use super::{Language, Mode, Scanner};

fn scan(language: Language, text: &str) -> Scanner {
    let mut scanner = Scanner::new(language, Mode::Code);
    scanner.read(text);
    scanner
}

#[test]
fn brackets_in_strings_and_comments_do_not_count() {
    use Language::{Dash, Hash, Rust, Slash, Text, Unknown};
    let balanced = [
        (Hash, "f(')', \"]\", '\\')')  # }"),
        (Hash, "x = '''a)\n]''' + \"\"\"}\"\"\" + r'(' + rb'('"),
        (Hash, "a = b // c + (d)"),
        (Slash, "a(')'); // )\n/* ) ] */ b[`)${c({})}]`]"),
        (Slash, "s.replace(/[)/]\\)/g, x) / (y)"),
        (Slash, "don't(1'000)"),
        (Rust, "fn f<'a, 'b>(x: &'a str, c: char) -> (&'b str) { (x, '(', '\\'', ')', b'}', r#\"\")\"#) }"),
        (Rust, "'outer: loop { break 'outer; }"),
        (Dash, "select f(')') -- it's (\nfrom t"),
        (Text, "it's (5 o'clock) # \"a\" // `b` (c)"),
        (Unknown, "f('(') # )"),
        (Unknown, "f<'a>(x: &'a str)"),
        (Unknown, "see https://x.y/(z)"),
    ];
    for (language, text) in balanced {
        let scanner = scan(language, text);
        let unpaid = scanner.unpaid.len();
        assert_eq!((scanner.owed.len(), scanner.wrong + unpaid), (0, 0), "{text}: {scanner:?}");
    }
}

#[test]
fn what_is_open_is_known() {
    let open = |text| {
        let scanner = scan(Language::Slash, text);
        (String::from_utf8(scanner.owed).expect("ASCII"), scanner.mode, scanner.wrong + scanner.unpaid.len())
    };
    assert_eq!(open("f(a[{"), (")]}".into(), Mode::Code, 0));
    assert_eq!(open("f('"), (")".into(), Mode::Quoted(b'\''), 0));
    assert_eq!(open("`${f("), ("$)".into(), Mode::Code, 0));
    assert_eq!(open("`${f()}"), (String::new(), Mode::Template, 0));
    assert_eq!(open("f([)"), (String::new(), Mode::Code, 1));
    assert_eq!(open("f)"), (String::new(), Mode::Code, 1));
    assert_eq!(open("f('a\nb)"), (String::new(), Mode::Code, 0));
    assert_eq!(open("/* a"), (String::new(), Mode::BlockComment, 0));
}
