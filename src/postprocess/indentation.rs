//! Indentation in the file's own style, counted once.

use super::surroundings::Surroundings;

/// Lines near the caret that show the style of a file, on each side.
const MAX_LINES: usize = 200;
/// A tab or an unknown unit counts as this many columns.
const DEFAULT_COLUMNS: usize = 4;

/// One level of indentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Tab,
    Spaces(usize),
}

/// Fits the indentation of a text to the place where it is inserted.
pub(super) fn fit(text: &str, around: &Surroundings) -> String {
    let unit = unit(around);
    let text = without_what_is_there(text, around, unit);
    match unit {
        Some(Unit::Tab) => with_tabs(&text),
        Some(Unit::Spaces(columns)) => with_spaces(&text, around, columns),
        None => text.into_owned(),
    }
}

/// The unit that the lines around the caret use.
fn unit(around: &Surroundings) -> Option<Unit> {
    let (mut tabs, mut spaces) = (0, 0);
    let mut steps = [0_usize; 9];
    let above: Vec<_> = around.lines_above().take(MAX_LINES).collect();
    let own = Some(around.line_start).filter(|_| !around.starts_line());
    let lines = above.into_iter().rev().chain(own).chain(around.lines_below().take(MAX_LINES));
    let mut previous = 0;
    for indentation in lines.map(indentation) {
        tabs += usize::from(indentation.starts_with('\t'));
        spaces += usize::from(indentation.starts_with("  "));
        let columns = indentation.len();
        if let Some(step) = steps.get_mut(columns.saturating_sub(previous)) {
            *step += 1;
        }
        previous = columns;
    }
    if tabs + spaces == 0 {
        return None;
    }
    let most_frequent =
        (2..steps.len()).rev().max_by_key(|step| steps[*step]).filter(|step| steps[*step] > 0);
    if tabs > spaces { Some(Unit::Tab) } else { most_frequent.map(Unit::Spaces) }
}

/// The white space at a line's start.
fn indentation(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// The width of white space.
fn columns(indentation: &str, unit: Option<Unit>) -> usize {
    let tab = if let Some(Unit::Spaces(columns)) = unit { columns } else { DEFAULT_COLUMNS };
    indentation.bytes().map(|byte| if byte == b'\t' { tab } else { 1 }).sum()
}

/// Whether the next line may be indented deeper than this one.
fn opens_block(line: &str) -> bool {
    line.trim_end().ends_with(['{', '(', '[', ':', '>', ','])
}

/// On a line of white space only, a text that indents itself from column 0 gets only what is missing.
///
/// That it does so shows where both together would be deeper than any neighbouring line allows.
fn without_what_is_there<'t>(
    text: &'t str,
    around: &Surroundings,
    unit: Option<Unit>,
) -> std::borrow::Cow<'t, str> {
    let (there, own) = (around.line_start, indentation(text));
    let body = &text[own.len()..];
    if !around.starts_line() || there.is_empty() || own.is_empty() || body.starts_with('\n') {
        return text.into();
    }
    let (there_columns, own_columns) = (columns(there, unit), columns(own, unit));
    let above = around.lines_above().next().map_or(0, |line| {
        let outer = columns(indentation(line), unit);
        let level = match unit {
            Some(Unit::Spaces(columns)) => columns,
            None if there_columns > outer => there_columns - outer,
            _ => DEFAULT_COLUMNS,
        };
        outer + if opens_block(line) { level } else { 0 }
    });
    let below = around.lines_below().next().map_or(0, |line| columns(indentation(line), unit));
    if there_columns + own_columns <= above.max(below) {
        return text.into();
    }
    let missing = own_columns.saturating_sub(there_columns);
    let missing = match own.strip_prefix(there) {
        Some(missing) => missing.to_owned(),
        None if unit == Some(Unit::Tab) => "\t".repeat(missing / DEFAULT_COLUMNS),
        None => " ".repeat(missing),
    };
    (missing + body).into()
}

/// Replaces the indentation of the lines after the first.
fn map_lines(text: &str, mut replace: impl FnMut(&str) -> Option<String>) -> String {
    let mut lines = text.split('\n');
    let mut fitted = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        let old = indentation(line);
        let new = if line.trim().is_empty() { None } else { replace(old) };
        fitted.push('\n');
        fitted.push_str(new.as_deref().unwrap_or(old));
        fitted.push_str(&line[old.len()..]);
    }
    fitted
}

/// Turns indentation by spaces into tabs, where it is by whole levels.
fn with_tabs(text: &str) -> String {
    let widths = text.split('\n').skip(1).map(indentation).map(str::len).filter(|width| *width > 0);
    let level = match widths.fold(0, greatest_common_divisor) {
        width if width % 4 == 0 => 4,
        width if width % 2 == 0 => 2,
        _ => return text.to_owned(),
    };
    map_lines(text, |old| (!old.contains('\t')).then(|| "\t".repeat(old.len() / level)))
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// Turns tabs into spaces, and steps of another width into those of the file.
fn with_spaces(text: &str, around: &Surroundings, unit: usize) -> String {
    let text = map_lines(text, |old| old.contains('\t').then(|| old.replace('\t', &" ".repeat(unit))));
    let first = [around.line_start, text.split('\n').next().unwrap_or_default()].concat();
    let base = indentation(&first).len();
    let Some(step) = step(&text, &first).filter(|step| *step != unit) else { return text };
    map_lines(&text, |old| {
        let deeper = old.len().checked_sub(base).filter(|deeper| deeper % step == 0)?;
        Some(" ".repeat(base + deeper / step * unit))
    })
}

/// The columns by which every deeper line of a text is deeper than the line before, which opens a block.
fn step(text: &str, first: &str) -> Option<usize> {
    let mut previous = first;
    let mut step = None;
    for line in text.split('\n').skip(1).filter(|line| !line.trim().is_empty()) {
        let deeper = indentation(line).len().saturating_sub(indentation(previous).len());
        let is_step = deeper > 0 && previous.trim_end().ends_with(['{', ':']);
        if deeper > 0 && (!is_step || step.is_some_and(|step| step != deeper)) {
            return None;
        }
        step = if is_step { Some(deeper) } else { step };
        previous = line;
    }
    step
}
