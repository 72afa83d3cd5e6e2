//! A stack that knows its largest element.

#[derive(Debug, Default)]
pub struct MaxStack {
    items: Vec<i64>,
    maxima: Vec<i64>,
}

impl MaxStack {
    pub fn push(&mut self, item: i64) {
        let max = self.max().map_or(item, |max| max.max(item));
        self.items.push(item);
        self.maxima.push(max);
    }

    pub fn pop(&mut self) -> Option<i64> {
        self.maxima.pop();
        self.items.pop()
    }

    pub fn max(&self) -> Option<i64> {
        self.maxima.last().copied()
    }
}
