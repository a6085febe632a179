//! The parts of a model that its rules are about, taken out of a flatbuffer that was verified.

use std::io;

use super::flat::{Flat, Found};
use super::schema::Schema;
use crate::pages::Pages;

/// So many tensors or operators are looked at, all graphs together.
const MOST_PARTS: u64 = 400_000;
/// Dimensions, inputs, outputs.
const MOST_NUMBERS: u64 = 4096;
/// Bytes of a name.
const LONGEST_NAME: u64 = 512;

#[derive(Debug, Default)]
pub(super) struct Model {
    pub(super) version: u32,
    pub(super) codes: Vec<Code>,
    pub(super) buffers: Vec<Buffer>,
    pub(super) graphs: Vec<Graph>,
    pub(super) signatures: Vec<Signature>,
    /// Buffers that its metadata name.
    pub(super) metadata: Vec<u32>,
    /// Not all of it was looked at.
    pub(super) is_partial: bool,
}

/// Which operation an operator is.
#[derive(Debug, Default)]
pub(super) struct Code {
    pub(super) builtin: i64,
    pub(super) custom: Option<String>,
    pub(super) version: i32,
}

/// Stored values: where they are, and how many bytes.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Buffer {
    pub(super) at: u64,
    pub(super) length: u64,
    /// They stand behind the flatbuffer, by the buffer's own words.
    pub(super) is_outside: bool,
}

#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) tensors: Vec<TensorPart>,
    pub(super) inputs: Vec<i32>,
    pub(super) outputs: Vec<i32>,
    pub(super) operators: Vec<Operator>,
}

#[derive(Debug, Default)]
pub(super) struct TensorPart {
    pub(super) name: Vec<u8>,
    pub(super) kind: i8,
    pub(super) shape: Vec<i32>,
    pub(super) signature: Vec<i32>,
    pub(super) buffer: u32,
    pub(super) is_variable: bool,
    pub(super) is_sparse: bool,
    pub(super) quantization: Option<Quantization>,
}

#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Quantization {
    pub(super) scales: u64,
    pub(super) zero_points: u64,
    pub(super) dimension: i32,
    pub(super) details: u8,
}

#[derive(Debug)]
pub(super) struct Operator {
    pub(super) code: u32,
    pub(super) inputs: Vec<i32>,
    pub(super) outputs: Vec<i32>,
    pub(super) intermediates: Vec<i32>,
    /// Number of the member of the union, and the table.
    pub(super) options: Option<(u8, Found)>,
    pub(super) outside_options: Option<(u64, u64)>,
}

/// A function that the model offers by name.
#[derive(Debug, Default)]
pub(super) struct Signature {
    pub(super) key: Vec<u8>,
    pub(super) graph: u32,
    /// Names and tensors.
    pub(super) inputs: Vec<(Vec<u8>, u32)>,
    pub(super) outputs: Vec<(Vec<u8>, u32)>,
}

struct Extract<'a, 'b> {
    flat: Flat<'a, 'b>,
    schema: &'static Schema,
    left: u64,
}

/// Takes the model out.
pub(super) fn extract(pages: &mut Pages<'_>, schema: &'static Schema) -> io::Result<Model> {
    let mut extract = Extract {
        flat: Flat { pages },
        schema,
        left: MOST_PARTS,
    };
    let root = u64::from(extract.flat.pages.u32(0)?);
    let root = extract.flat.table(root)?;
    extract.model(&root)
}

impl Extract<'_, '_> {
    /// The id of a field, which the schema has: a test looks every name up.
    fn id(&self, name: &str) -> usize {
        let (table, field) = name.split_once('.').unwrap_or((name, ""));
        self.schema
            .id(table, field)
            .unwrap_or(usize::from(u16::MAX))
    }

    fn tables(&mut self, table: &Found, name: &str) -> io::Result<Vec<Found>> {
        let id = self.id(name);
        let tables = self.flat.children(table, id, self.left)?;
        self.left -= tables.len() as u64;
        Ok(tables)
    }

    fn numbers(&mut self, table: &Found, name: &str) -> io::Result<Vec<i32>> {
        let id = self.id(name);
        self.flat.numbers(table, id, MOST_NUMBERS)
    }

    fn name(&mut self, table: &Found, name: &str) -> io::Result<Option<Vec<u8>>> {
        let id = self.id(name);
        self.flat.text(table, id, LONGEST_NAME)
    }

    fn count(&mut self, table: &Found, name: &str) -> io::Result<u64> {
        let id = self.id(name);
        let vector = self.flat.vector(table, id)?;
        Ok(vector.map_or(0, |(_, count)| count))
    }

    fn model(&mut self, root: &Found) -> io::Result<Model> {
        let mut model = Model {
            version: self.flat.u32(root, self.id("Model.version"))?,
            ..Model::default()
        };
        for code in self.tables(root, "Model.operator_codes")? {
            model.codes.push(self.code(&code)?);
        }
        for buffer in self.tables(root, "Model.buffers")? {
            model.buffers.push(self.buffer(&buffer)?);
        }
        for graph in self.tables(root, "Model.subgraphs")? {
            model.graphs.push(self.graph(&graph)?);
        }
        for signature in self.tables(root, "Model.signature_defs")? {
            model.signatures.push(self.signature(&signature)?);
        }
        for metadata in self.tables(root, "Model.metadata")? {
            let buffer = self.flat.u32(&metadata, self.id("Metadata.buffer"))?;
            model.metadata.push(buffer);
        }
        model.is_partial = self.left == 0;
        Ok(model)
    }

    fn code(&mut self, table: &Found) -> io::Result<Code> {
        // Numbers up to 126 stood in a byte once; the larger of the two fields counts.
        let old = self
            .flat
            .u8(table, self.id("OperatorCode.deprecated_builtin_code"))?;
        let new = self.flat.i32(table, self.id("OperatorCode.builtin_code"))?;
        let version = self.id("OperatorCode.version");
        let is_given = self.flat.field_offset(table, version)?.is_some();
        let custom = self.name(table, "OperatorCode.custom_code")?;
        Ok(Code {
            builtin: i64::from(old.cast_signed()).max(i64::from(new)),
            custom: custom.map(|name| String::from_utf8_lossy(&name).into_owned()),
            version: if is_given {
                self.flat.i32(table, version)?
            } else {
                1
            },
        })
    }

    fn buffer(&mut self, table: &Found) -> io::Result<Buffer> {
        let offset = self.flat.u64(table, self.id("Buffer.offset"))?;
        let size = self.flat.u64(table, self.id("Buffer.size"))?;
        // 0 and 1 are placeholders of writers that did not come to fill them in.
        if offset > 1 {
            return Ok(Buffer {
                at: offset,
                length: size,
                is_outside: true,
            });
        }
        let data = self.flat.vector(table, self.id("Buffer.data"))?;
        let (at, length) = data.unwrap_or_default();
        Ok(Buffer {
            at,
            length,
            is_outside: false,
        })
    }

    fn graph(&mut self, table: &Found) -> io::Result<Graph> {
        let mut graph = Graph {
            inputs: self.numbers(table, "SubGraph.inputs")?,
            outputs: self.numbers(table, "SubGraph.outputs")?,
            ..Graph::default()
        };
        for tensor in self.tables(table, "SubGraph.tensors")? {
            graph.tensors.push(self.tensor(&tensor)?);
        }
        for operator in self.tables(table, "SubGraph.operators")? {
            graph.operators.push(self.operator(&operator)?);
        }
        Ok(graph)
    }

    fn tensor(&mut self, table: &Found) -> io::Result<TensorPart> {
        let kind = self.flat.u8(table, self.id("Tensor.type"))?;
        let sparsity = self.id("Tensor.sparsity");
        let quantization = self.flat.child(table, self.id("Tensor.quantization"))?;
        Ok(TensorPart {
            name: self.name(table, "Tensor.name")?.unwrap_or_default(),
            kind: kind.cast_signed(),
            shape: self.numbers(table, "Tensor.shape")?,
            signature: self.numbers(table, "Tensor.shape_signature")?,
            buffer: self.flat.u32(table, self.id("Tensor.buffer"))?,
            is_variable: self.flat.u8(table, self.id("Tensor.is_variable"))? != 0,
            is_sparse: self.flat.field_offset(table, sparsity)?.is_some(),
            quantization: match quantization {
                Some(table) => Some(self.quantization(&table)?),
                None => None,
            },
        })
    }

    fn quantization(&mut self, table: &Found) -> io::Result<Quantization> {
        let dimension = self.id("QuantizationParameters.quantized_dimension");
        let details = self.id("QuantizationParameters.details_type");
        Ok(Quantization {
            scales: self.count(table, "QuantizationParameters.scale")?,
            zero_points: self.count(table, "QuantizationParameters.zero_point")?,
            dimension: self.flat.i32(table, dimension)?,
            details: self.flat.u8(table, details)?,
        })
    }

    fn operator(&mut self, table: &Found) -> io::Result<Operator> {
        let kind = self
            .flat
            .u8(table, self.id("Operator.builtin_options_type"))?;
        let options = self
            .flat
            .child(table, self.id("Operator.builtin_options"))?;
        let offset = self.id("Operator.large_custom_options_offset");
        let size = self.id("Operator.large_custom_options_size");
        let (offset, size) = (self.flat.u64(table, offset)?, self.flat.u64(table, size)?);
        Ok(Operator {
            code: self.flat.u32(table, self.id("Operator.opcode_index"))?,
            inputs: self.numbers(table, "Operator.inputs")?,
            outputs: self.numbers(table, "Operator.outputs")?,
            intermediates: self.numbers(table, "Operator.intermediates")?,
            options: options.map(|table| (kind, table)),
            outside_options: (offset > 1).then_some((offset, size)),
        })
    }

    fn signature(&mut self, table: &Found) -> io::Result<Signature> {
        let key = self.name(table, "SignatureDef.signature_key")?;
        let graph = self.id("SignatureDef.subgraph_index");
        Ok(Signature {
            key: key.unwrap_or_default(),
            graph: self.flat.u32(table, graph)?,
            inputs: self.names(table, "SignatureDef.inputs")?,
            outputs: self.names(table, "SignatureDef.outputs")?,
        })
    }

    fn names(&mut self, table: &Found, field: &str) -> io::Result<Vec<(Vec<u8>, u32)>> {
        let mut names = Vec::new();
        for entry in self.tables(table, field)? {
            let name = self.name(&entry, "TensorMap.name")?.unwrap_or_default();
            let tensor = self.flat.u32(&entry, self.id("TensorMap.tensor_index"))?;
            names.push((name, tensor));
        }
        Ok(names)
    }
}
