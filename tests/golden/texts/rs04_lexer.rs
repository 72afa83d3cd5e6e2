#[derive(Debug, Clone, PartialEq)]
pub enum Token<'a> {
    Ident(&'a str),
    Number(f64),
    Str(String),
    Punct(char),
}

pub struct Lexer<'a> {
    source: &'a str,
    offset: usize,
}

impl<'a> Lexer<'a> {
    pub fn new(source: &'a str) -> Self {
        Lexer { source, offset: 0 }
    }

    fn rest(&self) -> &'a str {
        &self.source[self.offset..]
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !accept(c)).unwrap_or(rest.len());
        self.offset += end;
        &rest[..end]
    }

    fn string(&mut self) -> Result<Token<'a>, String> {
        let start = self.offset;
        self.offset += 1;
        let mut text = String::new();
        let mut chars = self.rest().char_indices();
        while let Some((i, c)) = chars.next() {
            match c {
                '"' => {
                    self.offset += i + 1;
                    return Ok(Token::Str(text));
                }
                '\\' => match chars.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, other)) => text.push(other),
                    None => break,
                },
                _ => text.push(c),
            }
        }
        Err(format!("unterminated string starting at byte {start}"))
    }
}

impl<'a> Iterator for Lexer<'a> {
    type Item = Result<Token<'a>, String>;

    fn next(&mut self) -> Option<Self::Item> {
        self.take_while(char::is_whitespace);
        let first = self.rest().chars().next()?;
