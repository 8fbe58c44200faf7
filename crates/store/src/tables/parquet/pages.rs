//! Pages of a text column, with every text turned into its code before it is decoded.
//!
//! The decoder behind this adapter then reads a column of small whole numbers: a text is looked at where it is stored, once in a
//! dictionary and not once a row.

use std::sync::Arc;

use parquet::basic::{Encoding, Type as Physical};
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::ByteArrayType;
use parquet::errors::{ParquetError, Result};
use parquet::schema::types::{ColumnDescPtr, ColumnDescriptor, Type};

use crate::tables::coded::SharedTexts;

/// The pages of a text column as pages of codes.
pub(super) struct CodedPages {
    pages: Box<dyn PageReader>,
    column: ColumnDescPtr,
    texts: SharedTexts,
}

impl CodedPages {
    pub(super) fn new(pages: Box<dyn PageReader>, column: ColumnDescPtr, texts: SharedTexts) -> Self {
        Self { pages, column, texts }
    }

    /// The column as the decoder behind the adapter is to see it.
    pub(super) fn column_of_codes(&self) -> Result<ColumnDescPtr> {
        let codes = Type::primitive_type_builder("codes", Physical::INT32).build()?;
        let (nulls, lists) = (self.column.max_def_level(), self.column.max_rep_level());
        let path = self.column.path().clone();
        Ok(Arc::new(ColumnDescriptor::new(Arc::new(codes), nulls, lists, path)))
    }

    fn coded(&self, page: Page) -> Result<Page> {
        match page {
            Page::DictionaryPage { buf, num_values, .. } => {
                let mut codes = Vec::new();
                let rest = self.code_plain(&buf, num_values as usize, &mut codes)?;
                if rest > 0 {
                    return Err(damaged("a dictionary has bytes behind its last text"));
                }
                Ok(Page::DictionaryPage {
                    buf: codes.into(),
                    num_values,
                    encoding: Encoding::PLAIN,
                    is_sorted: false,
                })
            }
            page if matches!(page.encoding(), Encoding::RLE_DICTIONARY | Encoding::PLAIN_DICTIONARY) => Ok(page),
            page => self.coded_data(page),
        }
    }

    /// A data page that holds the texts themselves, with codes in their place; the levels before them stay.
    fn coded_data(&self, mut page: Page) -> Result<Page> {
        let start = self.levels_end(&page)?;
        let mut coded = page
            .buffer()
            .get(..start)
            .ok_or_else(|| damaged("a page ends in its levels"))?
            .to_vec();
        if page.encoding() == Encoding::PLAIN {
            self.code_plain(&page.buffer()[start..], usize::MAX, &mut coded)?;
        } else {
            self.code_decoded(&page, &mut coded)?;
        }
        match &mut page {
            Page::DataPage { buf, encoding, .. } | Page::DataPageV2 { buf, encoding, .. } => {
                *buf = coded.into();
                *encoding = Encoding::PLAIN;
            }
            Page::DictionaryPage { .. } => {}
        }
        Ok(page)
    }

    /// Where the levels of a data page end and its values begin.
    fn levels_end(&self, page: &Page) -> Result<usize> {
        match page {
            Page::DataPageV2 {
                def_levels_byte_len,
                rep_levels_byte_len,
                ..
            } => Ok(*def_levels_byte_len as usize + *rep_levels_byte_len as usize),
            Page::DataPage { .. } if self.column.max_def_level() == 0 => Ok(0),
            Page::DataPage {
                buf,
                def_level_encoding: Encoding::RLE,
                ..
            } => {
                let length = buf
                    .first_chunk::<4>()
                    .ok_or_else(|| damaged("a page ends in its levels"))?;
                Ok(4 + u32::from_le_bytes(*length) as usize)
            }
            // One bit a value: a column of a table is null or not.
            Page::DataPage { num_values, .. } => Ok((*num_values as usize).div_ceil(8)),
            Page::DictionaryPage { .. } => Ok(0),
        }
    }

    /// Codes up to `most` texts that stand one after the other, each behind its length; returns how many bytes are left.
    fn code_plain(&self, mut bytes: &[u8], most: usize, into: &mut Vec<u8>) -> Result<usize> {
        let mut texts = self.texts.lock();
        let mut last: Option<(&[u8], u32)> = None;
        for done in 0..most {
            let Some((length, rest)) = bytes.split_first_chunk::<4>() else {
                let whole = bytes.is_empty() && most == usize::MAX;
                return if whole {
                    Ok(0)
                } else {
                    Err(damaged(format!("a page ends after {done} of its texts")))
                };
            };
            let (text, rest) = rest
                .split_at_checked(u32::from_le_bytes(*length) as usize)
                .ok_or_else(|| damaged("a text is longer than its page"))?;
            let code = match last {
                Some((before, code)) if before == text => code,
                _ => texts.code(as_text(text)?),
            };
            last = Some((text, code));
            into.extend(code.to_le_bytes());
            bytes = rest;
        }
        Ok(bytes.len())
    }

    /// Codes the texts of a page in any other encoding: decoded first, which few writers make necessary.
    fn code_decoded(&self, page: &Page, into: &mut Vec<u8>) -> Result<()> {
        let count = page.num_values() as usize;
        let pages = Box::new(OnePage(Some(page.clone())));
        let mut reader = ColumnReaderImpl::<ByteArrayType>::new(self.column.clone(), pages);
        let (mut nulls, mut values) = (Vec::new(), Vec::new());
        reader.read_records(count, Some(&mut nulls), None, &mut values)?;
        let mut texts = self.texts.lock();
        for value in &values {
            into.extend(texts.code(as_text(value.data())?).to_le_bytes());
        }
        Ok(())
    }
}

impl PageReader for CodedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.pages.get_next_page()?;
        page.map(|page| self.coded(page)).transpose()
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }
}

impl Iterator for CodedPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

/// A column of one page.
struct OnePage(Option<Page>);

impl PageReader for OnePage {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        Ok(self.0.take())
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        Ok(None)
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.0 = None;
        Ok(())
    }
}

impl Iterator for OnePage {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.take().map(Ok)
    }
}

fn as_text(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|_| damaged("a text is not UTF-8"))
}

fn damaged(what: impl Into<String>) -> ParquetError {
    ParquetError::General(what.into())
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn coded(page: Page) -> Result<Page> {
        let text = Type::primitive_type_builder("text", Physical::BYTE_ARRAY).build()?;
        let column = Arc::new(ColumnDescriptor::new(Arc::new(text), 0, 0, "text".into()));
        CodedPages::new(Box::new(OnePage(None)), column, SharedTexts::default()).coded(page)
    }

    fn dictionary(bytes: &[u8], num_values: u32) -> Page {
        Page::DictionaryPage {
            buf: Bytes::copy_from_slice(bytes),
            num_values,
            encoding: Encoding::PLAIN,
            is_sorted: false,
        }
    }

    #[test]
    fn equal_texts_have_one_code() {
        let page = coded(dictionary(b"\x01\0\0\0a\x02\0\0\0bc\x01\0\0\0a", 3)).expect("three texts");
        assert_eq!(page.buffer().as_ref(), b"\0\0\0\0\x01\0\0\0\0\0\0\0");
    }

    #[test]
    fn pages_that_contradict_themselves_are_refused() {
        let wrong: [(&[u8], u32); 5] = [
            (b"\x01\0\0\0a", 2),
            (b"\x01\0\0\0ab", 1),
            (b"\xff\xff\xff\xffa", 1),
            (b"\x01\0", 1),
            (b"\x01\0\0\0\xff", 1),
        ];
        for (bytes, count) in wrong {
            assert!(coded(dictionary(bytes, count)).is_err(), "{bytes:?}");
        }
    }
}
