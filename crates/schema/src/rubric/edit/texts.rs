//! Texts of a file appended to, replaced and newly written, each in the style it has.

use std::ops::Range;

use super::layout::{Layout, closes_line, column, line_end, line_number, line_start, opens_line};
use super::spelling::{double, fold, fold_block, json, plain, plain_inside, single};
use super::splice::Splice;
use crate::rubric::Ruling;
use crate::tree::{Form, Site, SiteEntry, Sites, Style};

/// Why a change cannot be spliced in, and the line of the obstacle.
#[derive(Debug)]
pub(super) struct Obstacle {
    pub reason: String,
    pub line: u32,
}

/// A text under edit.
pub(super) struct Sheet<'t> {
    pub text: &'t str,
    pub sites: &'t Sites,
    pub layout: Layout,
    /// Whether the notation is JSON.
    pub json: bool,
    /// How much farther than its key the dash of a list stands.
    pub dash: usize,
    pub splices: Vec<Splice>,
}

/// Where a value stands: in a mapping between braces, or below keys of some column.
#[derive(Debug, Clone, Copy)]
pub(super) enum Around {
    Flow,
    Block { indent: usize },
}

/// A value on its way into the file.
pub(super) enum New<'v> {
    /// A text, in the style that suits it.
    Text(&'v str),
    /// A number, or a mapping in flow form.
    Word(String),
    /// A list of one ruling.
    Rulings(&'v Ruling),
}

impl Sheet<'_> {
    pub(super) fn obstacle<T>(&self, at: usize, reason: &str) -> Result<T, Obstacle> {
        Err(Obstacle {
            reason: reason.to_owned(),
            line: line_number(self.text, at),
        })
    }

    /// Refuses a value that is an alias, or that an alias elsewhere repeats.
    pub(super) fn own(&self, site: &Site) -> Result<(), Obstacle> {
        if matches!(site.form, Form::Alias) {
            return self.obstacle(
                site.range.start,
                "the value is an alias: its text stands elsewhere, and changing it there would change more",
            );
        }
        if site.anchor != 0 && self.sites.aliased.contains(&site.anchor) {
            return self.obstacle(
                site.range.start,
                "the value has an anchor and an alias repeats it elsewhere, so a change here would change both",
            );
        }
        Ok(())
    }

    pub(super) fn around(&self, map: &Site, entry: &SiteEntry) -> Around {
        if map.is_flow() {
            Around::Flow
        } else {
            Around::Block {
                indent: column(self.text, entry.key_range.start),
            }
        }
    }

    /// What stands between the old end of a text and an addition to it.
    pub(super) fn joint(&self, entry: Option<&SiteEntry>) -> char {
        let Some(entry) = entry else { return ' ' };
        let range = &entry.value.range;
        match entry.value.form {
            Form::Scalar(Style::Literal) => '\n',
            // A line of a folded text that begins with white space keeps its line end.
            Form::Scalar(Style::Folded) if !range.is_empty() => {
                let start = line_start(self.text, range.end).max(range.start);
                let inner = self.content_prefix(range).len();
                let line = match start == range.start {
                    true => &self.text[start..range.end],
                    false => self.text.get(start + inner..range.end).unwrap_or_default(),
                };
                if line.starts_with([' ', '\t']) { '\n' } else { ' ' }
            }
            _ => ' ',
        }
    }

    /// The white space before the first line of a block scalar.
    fn content_prefix(&self, range: &Range<usize>) -> &str {
        &self.text[line_start(self.text, range.start)..range.start]
    }

    fn lines(&self, prefix: &str, lines: &[String]) -> String {
        let mut out = String::new();
        for line in lines {
            out.push_str(self.layout.newline);
            if !line.is_empty() {
                out.push_str(prefix);
                out.push_str(line);
            }
        }
        out
    }

    /// Adds to the end of a text; `whole` is what it then says.
    pub(super) fn append(
        &mut self,
        map: &Site,
        entry: &SiteEntry,
        addition: &str,
        whole: &str,
    ) -> Result<(), Obstacle> {
        self.own(&entry.value)?;
        let range = entry.value.range.clone();
        let around = self.around(map, entry);
        let splice = match entry.value.form {
            Form::Scalar(Style::Folded) => self.append_folded(&range, addition),
            Form::Scalar(Style::Literal) => {
                let lines: Vec<String> = addition.split('\n').map(str::to_owned).collect();
                Some(self.block_end(&range, &lines))
            }
            Form::Scalar(Style::Plain) => self.append_plain(&range, addition, around),
            Form::Scalar(style) => self.append_quoted(&range, addition, around, style),
            _ => return self.obstacle(range.start, "the value is no text"),
        };
        match splice {
            Some(splice) => {
                self.splices.push(splice);
                Ok(())
            }
            None => self.rewrite(entry, whole, around),
        }
    }

    /// New lines at the end of a block scalar, in place of the white space there.
    fn block_end(&self, range: &Range<usize>, lines: &[String]) -> Splice {
        let end = line_end(self.text, range.end);
        Splice::over(range.end..end, self.lines(self.content_prefix(range), lines))
    }

    fn append_folded(&self, range: &Range<usize>, addition: &str) -> Option<Splice> {
        let room = self.room(column(self.text, range.start));
        Some(self.block_end(range, &fold_block(addition, room)?))
    }

    fn room(&self, column: usize) -> usize {
        self.layout.width.saturating_sub(column).max(20)
    }

    fn append_plain(&self, range: &Range<usize>, addition: &str, around: Around) -> Option<Splice> {
        if !plain_inside(addition, matches!(around, Around::Flow)) {
            return None;
        }
        let added = self.continued(range, range.end, addition, around, &|line| line.to_owned())?;
        let marks = ['-', '?', ':', '|', '>', '&', '*', '!', '%', '@', '`', '#'];
        let opens = added
            .split('\n')
            .skip(1)
            .any(|line| line.trim_start().starts_with(marks));
        (!opens).then(|| Splice::at(range.end, added))
    }

    fn append_quoted(&self, range: &Range<usize>, addition: &str, around: Around, style: Style) -> Option<Splice> {
        let close = range.end - 1;
        let inside = &self.text[range.start + 1..close];
        let end = range.start + 1 + inside.trim_end().len();
        let kept = &self.text[range.start + 1..end];
        if style != Style::Single
            && ["\\n", "\\t", "\\r", "\\ "]
                .iter()
                .any(|escape| inside.ends_with(escape))
        {
            return None;
        }
        // A backslash before the white space that is taken away would escape what follows.
        if kept.is_empty() || (style != Style::Single && kept.ends_with('\\') && kept.len() < inside.len()) {
            return None;
        }
        let added = match style {
            Style::Json => format!(" {}", json(addition)),
            Style::Single => self.continued(range, end, addition, around, &|line| single(line))?,
            _ => match self.continued(range, end, addition, around, &|line| double(line)) {
                Some(added) => added,
                None => format!(" {}", double(addition)),
            },
        };
        Some(Splice::over(end..close, added))
    }

    /// A text that follows others of its scalar: after a space, and on further lines where the line is full.
    ///
    /// `None` if it holds line ends that folding cannot say here.
    fn continued(
        &self,
        range: &Range<usize>,
        end: usize,
        addition: &str,
        around: Around,
        spell: &dyn Fn(&str) -> String,
    ) -> Option<String> {
        let Around::Block { indent } = around else {
            return (!addition.contains('\n')).then(|| format!(" {}", spell(addition)));
        };
        let last = line_start(self.text, end);
        let prefix = match last > range.start {
            true => self.text[last..end]
                .chars()
                .take_while(|c| *c == ' ')
                .collect::<String>(),
            false => " ".repeat(indent + 2),
        };
        let first = self.layout.width.saturating_sub(column(self.text, end) + 1);
        let rest = self.room(prefix.len());
        let word = addition.split(' ').next().unwrap_or_default().chars().count();
        let starts_here = word <= first;
        let lines = fold(addition, if starts_here { first } else { rest }, rest)?;
        let lines: Vec<String> = lines.iter().map(|line| spell(line)).collect();
        Some(match starts_here {
            true => format!(" {}{}", lines[0], self.lines(&prefix, &lines[1..])),
            false => self.lines(&prefix, &lines),
        })
    }

    /// Replaces a text by another, in its style where that can say it.
    pub(super) fn replace(&mut self, map: &Site, entry: &SiteEntry, whole: &str) -> Result<(), Obstacle> {
        self.own(&entry.value)?;
        let range = entry.value.range.clone();
        let around = self.around(map, entry);
        let lines: Option<Vec<String>> = match entry.value.form {
            Form::Scalar(Style::Folded) => fold_block(whole, self.room(column(self.text, range.start))),
            Form::Scalar(Style::Literal) if !whole.starts_with([' ', '\t']) => {
                Some(whole.split('\n').map(str::to_owned).collect())
            }
            Form::Scalar(_) => None,
            _ => return self.obstacle(range.start, "the value is no text"),
        };
        let Some(lines) = lines.filter(|_| !range.is_empty()) else {
            return self.rewrite(entry, whole, around);
        };
        let prefix = self.content_prefix(&range).to_owned();
        let text = format!("{}{}", lines[0], self.lines(&prefix, &lines[1..]));
        self.splices.push(Splice::over(range, text));
        Ok(())
    }

    /// Writes the value anew, announcement of a block and all.
    fn rewrite(&mut self, entry: &SiteEntry, whole: &str, around: Around) -> Result<(), Obstacle> {
        let value = &entry.value;
        let (start, end) = match value.form {
            Form::Scalar(Style::Folded | Style::Literal) => (self.after_colon(entry), value.range.end),
            _ => (value.range.start, value.range.end),
        };
        if end <= start {
            return self.obstacle(entry.key_range.start, "the text block is empty");
        }
        if self.comments_in(&(start..end)) {
            return self.obstacle(start, "a comment stands inside the value, and would be lost");
        }
        let text = match (&value.form, around) {
            (Form::Scalar(Style::Double | Style::Single), Around::Block { .. }) if !whole.contains('\n') => {
                self.requoted(entry, whole, around)
            }
            _ => None,
        };
        let text =
            text.unwrap_or_else(|| self.fresh(whole, around, column(self.text, start), closes_line(self.text, end)));
        self.splices.push(Splice::over(start..end, text));
        Ok(())
    }

    /// A text in the quotes it had.
    fn requoted(&self, entry: &SiteEntry, whole: &str, around: Around) -> Option<String> {
        let (start, style) = (entry.value.range.start, &entry.value.form);
        let Around::Block { indent } = around else { return None };
        let prefix = " ".repeat(indent + 2);
        let lines = fold(whole, self.room(column(self.text, start) + 2), self.room(prefix.len()))?;
        let (mark, spell): (char, fn(&str) -> String) = match style {
            Form::Scalar(Style::Single) if whole.chars().all(|c| crate::diagnostic::visible(c).count() == 1) => {
                ('\'', single)
            }
            _ => ('"', double),
        };
        let lines: Vec<String> = lines.iter().map(|line| spell(line)).collect();
        Some(format!("{mark}{}{}{mark}", lines[0], self.lines(&prefix, &lines[1..])))
    }

    pub(super) fn comments_in(&self, range: &Range<usize>) -> bool {
        let inside = |comment: &Range<usize>| range.start <= comment.start && comment.end <= range.end;
        self.sites.comments.iter().any(inside)
    }

    /// Where the value of a key may begin: after its colon and the white space behind it.
    fn after_colon(&self, entry: &SiteEntry) -> usize {
        let rest = &self.text[entry.key_range.end..];
        let colon = rest.find(':').map_or(0, |colon| colon + 1);
        let space = rest[colon..].len() - rest[colon..].trim_start_matches([' ', '\t']).len();
        entry.key_range.end + colon + space
    }

    /// Gives a value to a key that stands without one.
    pub(super) fn fill(&mut self, map: &Site, entry: &SiteEntry, new: &New<'_>) -> Result<(), Obstacle> {
        self.own(&entry.value)?;
        let around = self.around(map, entry);
        let range = entry.value.range.clone();
        if !range.is_empty() {
            let value = self.value(
                new,
                around,
                column(self.text, range.start),
                closes_line(self.text, range.end),
                false,
            );
            self.splices.push(Splice::over(range, value));
            return Ok(());
        }
        let rest = &self.text[entry.key_range.end..];
        let gap = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let (at, lead) = match rest[gap..].starts_with(':') {
            true => (entry.key_range.end + gap + 1, " "),
            false => (entry.key_range.end, ": "),
        };
        let ends = closes_line(self.text, at);
        let value = self.value(new, around, column(self.text, at) + 1, ends, ends);
        let lead = if value.starts_with(self.layout.newline) {
            ""
        } else {
            lead
        };
        self.splices.push(Splice::at(at, format!("{lead}{value}")));
        Ok(())
    }

    /// A new value; `breaks` says whether it may go on over further lines, `list` whether as a list below its key.
    pub(super) fn value(&self, new: &New<'_>, around: Around, column: usize, breaks: bool, list: bool) -> String {
        match (new, around) {
            (New::Text(text), _) => self.fresh(text, around, column, breaks),
            (New::Word(word), _) => word.clone(),
            (New::Rulings(ruling), Around::Block { indent }) if list => {
                let dash = indent + self.dash;
                self.block_ruling(ruling, dash, Some(dash + 2))
            }
            (New::Rulings(ruling), _) => format!("[{}]", self.flow_ruling(ruling)),
        }
    }

    /// A text in the style that suits it: bare, folded when it is long, else in quotes.
    pub(super) fn fresh(&self, text: &str, around: Around, column: usize, breaks: bool) -> String {
        if self.json {
            return format!("\"{}\"", json(text));
        }
        let Around::Block { indent } = around else {
            return if plain(text, true) {
                text.to_owned()
            } else {
                format!("\"{}\"", double(text))
            };
        };
        let fits = column + text.chars().count() <= self.layout.width;
        if fits && plain(text, false) {
            return text.to_owned();
        }
        let prefix = " ".repeat(indent + 2);
        let room = self.room(prefix.len());
        let seen = text
            .chars()
            .all(|c| c == '\n' || crate::diagnostic::visible(c).count() == 1);
        match fold_block(text, room) {
            Some(lines) if breaks && seen && (!fits || text.contains('\n')) => {
                format!("{}{}", self.layout.folded, self.lines(&prefix, &lines))
            }
            _ => self.quoted(text, column, &prefix),
        }
    }

    /// A text in double quotes, over several lines where it is long and folding can say it.
    fn quoted(&self, text: &str, column: usize, prefix: &str) -> String {
        let folded = fold(text, self.room(column + 2), self.room(prefix.len()));
        let lines = folded.unwrap_or_else(|| vec![text.to_owned()]);
        let lines: Vec<String> = lines.iter().map(|line| double(line)).collect();
        format!("\"{}{}\"", lines[0], self.lines(prefix, &lines[1..]))
    }

    /// Whether the dash of a list item opens its line, and where that line begins.
    pub(super) fn dash_line(&self, list: &Site, item: &Site) -> Option<usize> {
        let dash = column(self.text, list.range.start);
        let mut start = line_start(self.text, item.range.start);
        loop {
            let line = &self.text[start..line_end(self.text, start)];
            let at = start + line.len() - line.trim_start().len();
            if line.trim_start().starts_with('-') && column(self.text, at) == dash && opens_line(self.text, at) {
                return Some(start);
            }
            start = line_start(self.text, start.checked_sub(1)?);
            if start < line_start(self.text, list.range.start) {
                return None;
            }
        }
    }
}
