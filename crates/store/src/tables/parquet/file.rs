//! A Parquet file: opened, its columns found, its row groups walked through.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use bytes::Bytes;
use calibrant_schema::Diagnostic;
use parquet::basic::Compression as Codec;
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, FileReader};
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::schema::types::Type;

use super::column::Column;
use super::damage;
use super::kind::{self, Kind};
use crate::stored::{PARQUET_MAGIC, Stored, broke_off};
use crate::tables::coded::{BATCH, Batch, Walk};
use crate::tables::role::Role;
use crate::tables::shown::shown;

/// The id of the mistake of a column that cannot be unpacked.
pub(super) const WRONG_CODEC: &str = "parquet-codec";

/// A Parquet file being read.
pub(crate) struct ParquetFile {
    name: String,
    reader: Box<dyn FileReader>,
    bytes: u64,
    /// The columns of the table, nested ones included.
    columns: Vec<String>,
}

impl ParquetFile {
    /// Opens a file, of which only the columns asked for are read when it is on a disk; also its hash in hexadecimal.
    pub(crate) fn open(name: &str, path: Option<&Path>, mut stored: Stored) -> Result<(Self, String), Box<Diagnostic>> {
        if !stored.is_parquet() {
            let holds = stored.holds_parquet();
            let holds = holds.map_err(|reason| Box::new(broke_off(name, &stored, 1, &reason)))?;
            return Err(match stored.compression().words() {
                Some((format, _)) if holds => damage::packed(name, format),
                _ => damage::not_parquet(name),
            });
        }
        let broken = |reason: io::Error| damage::damaged(name, &reason.into());
        let on_disk = path.filter(|path| path.is_file());
        if let Some(path) = on_disk {
            let file = Self::on_disk(name, path)?;
            if !stored.is_hashed() {
                io::copy(&mut stored, &mut io::sink()).map_err(broken)?;
            }
            return Ok((file, stored.sha256()));
        }
        let mut bytes = Vec::new();
        stored.read_to_end(&mut bytes).map_err(broken)?;
        let end = bytes
            .last_chunk::<8>()
            .copied()
            .ok_or_else(|| damage::truncated(name))?;
        Ok((Self::of(name, end, Bytes::from(bytes))?, stored.sha256()))
    }

    fn on_disk(name: &str, path: &Path) -> Result<Self, Box<Diagnostic>> {
        let mut file = File::open(path).map_err(|reason| damage::damaged(name, &reason.into()))?;
        let mut end = [0; 8];
        let read = file.seek(SeekFrom::End(-8)).and_then(|_| file.read_exact(&mut end));
        read.map_err(|_| damage::truncated(name))?;
        Self::of(name, end, file)
    }

    fn of(name: &str, end: [u8; 8], chunks: impl ChunkReader + 'static) -> Result<Self, Box<Diagnostic>> {
        let footer = u32::from_le_bytes([end[0], end[1], end[2], end[3]]);
        if !end.ends_with(&PARQUET_MAGIC) || u64::from(footer) + 12 > chunks.len() {
            return Err(damage::truncated(name));
        }
        let bytes = chunks.len();
        let opened = damage::contained(|| SerializedFileReader::new(chunks));
        let reader = opened.map_err(|reason| damage::damaged(name, &reason))?;
        let schema = reader.metadata().file_metadata().schema_descr();
        Ok(Self {
            name: name.to_owned(),
            columns: fields(schema.root_schema())
                .iter()
                .map(|field| field.name().to_owned())
                .collect(),
            reader: Box::new(reader),
            bytes,
        })
    }

    /// The file's name in messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The names of its columns.
    pub(crate) fn columns(&self) -> &[String] {
        &self.columns
    }

    /// How many bytes it has.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// How many bytes hold its first `rows` rows, as if all rows were alike.
    pub(super) fn bytes_of(&self, rows: u64) -> u64 {
        let share = rows as f64 / self.rows().max(1) as f64;
        (self.bytes as f64 * share.min(1.0)) as u64
    }

    /// How many rows it says it has.
    pub(crate) fn rows(&self) -> u64 {
        let rows = self.reader.metadata().file_metadata().num_rows();
        u64::try_from(rows).unwrap_or(0)
    }

    /// The column at a place of [`ParquetFile::columns`], ready to be read.
    ///
    /// # Errors
    /// If it cannot hold `role`, or is packed in a way that is not read here.
    pub(super) fn column(&self, place: usize, role: Role) -> Result<Column, Box<Diagnostic>> {
        let metadata = self.reader.metadata();
        let schema = metadata.file_metadata().schema_descr();
        let field = &fields(schema.root_schema())[place];
        let leaf = (0..schema.num_columns()).find(|leaf| schema.get_column_root_idx(*leaf) == place);
        let flat = leaf.map(|leaf| (leaf, schema.column(leaf)));
        let flat = flat.filter(|(_, column)| field.is_primitive() && column.max_rep_level() == 0);
        let kind = flat.as_ref().and_then(|(_, column)| {
            let kind = Kind::of(column)?;
            (kind.may_hold(role) || kind::is_untyped(column)).then_some(kind)
        });
        let (Some((leaf, column)), Some(kind)) = (flat, kind) else {
            return Err(wrong_type(&self.name, field, role));
        };
        let codecs = metadata
            .row_groups()
            .iter()
            .map(|group| group.column(leaf).compression());
        for codec in codecs {
            readable(codec).map_err(|codec| wrong_codec(&self.name, field, codec))?;
        }
        Ok(Column::new(leaf, column, kind))
    }

    /// Walks through the rows, all `columns` side by side, batch after batch, until the end or until `see` says that it is enough.
    pub(super) fn walk(
        &self,
        columns: &mut [&mut Column],
        mut see: impl FnMut(Batch, &mut [&mut Column]) -> Walk,
    ) -> Result<(), Box<Diagnostic>> {
        let mut first = 0;
        for group in 0..self.reader.num_row_groups() {
            let opened = damage::contained(|| {
                let rows = self.reader.get_row_group(group)?;
                columns
                    .iter_mut()
                    .try_for_each(|column| column.open(rows.get_column_page_reader(column.leaf)?))
            });
            opened.map_err(|reason| damage::damaged(&self.name, &reason))?;
            let stated = self.reader.metadata().row_group(group).num_rows();
            let mut left = usize::try_from(stated).unwrap_or(0);
            while left > 0 {
                let read = damage::contained(|| read_side_by_side(columns, left.min(BATCH)));
                let rows = read.map_err(|reason| damage::damaged(&self.name, &reason))?;
                let batch = Batch {
                    first,
                    rows,
                    group: Some(group + 1),
                };
                if see(batch, columns) == Walk::Enough {
                    return Ok(());
                }
                first += rows as u64;
                left -= rows;
            }
        }
        Ok(())
    }
}

fn read_side_by_side(columns: &mut [&mut Column], rows: usize) -> Result<usize, ParquetError> {
    for column in columns.iter_mut() {
        // A row group that says it has rows has them in every column.
        if column.read(rows)? != rows {
            return Err(ParquetError::General(
                "columns differ in their number of rows".to_owned(),
            ));
        }
    }
    Ok(rows)
}

fn fields(root: &Type) -> &[parquet::schema::types::TypePtr] {
    if root.is_primitive() { &[] } else { root.get_fields() }
}

fn readable(codec: Codec) -> Result<(), Codec> {
    match codec {
        Codec::UNCOMPRESSED | Codec::SNAPPY | Codec::GZIP(_) | Codec::LZ4 | Codec::LZ4_RAW | Codec::ZSTD(_) => Ok(()),
        other => Err(other),
    }
}

fn wrong_type(name: &str, field: &Type, role: Role) -> Box<Diagnostic> {
    let help = match role {
        Role::Label => "write labels as text, numbers or truth values, one row a verdict",
        Role::Status | Role::RubricHash => "write it as text",
        _ => "write ids as text or whole numbers",
    };
    Box::new(Diagnostic::error(
        "column-type",
        format!(
            "the column `{}` of `{name}`, taken for the {role}, holds {}",
            shown(field.name()),
            kind::words(field)
        ),
        help,
    ))
}

fn wrong_codec(name: &str, field: &Type, codec: Codec) -> Box<Diagnostic> {
    let codec = codec.to_string();
    let codec = codec.split('(').next().unwrap_or_default().to_lowercase();
    Box::new(Diagnostic::error(
        WRONG_CODEC,
        format!(
            "the column `{}` of `{name}` is packed by {codec}, which is not read",
            shown(field.name())
        ),
        "write the file with zstd, snappy, gzip, lz4 or no compression",
    ))
}
