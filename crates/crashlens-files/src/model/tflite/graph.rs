//! The parts of a model that its rules are about, taken out of a flatbuffer as the interpreter does: what that does not
//! look at is not looked at here.

use std::collections::HashMap;
use std::io;

use super::flat::{Flat, Found};
use super::operators::reads_options;
use super::parts::{
    Buffer, Buffers, Code, Graph, Model, Operator, Quantization, Signature, TensorPart,
};
use super::schema::{Kind, Schema};
use crate::pages::Pages;

/// So many tensors or operators are looked at, all graphs together.
const MOST_PARTS: u64 = 400_000;
/// Dimensions, inputs, outputs.
const MOST_NUMBERS: u64 = 4096;
/// Scales and zero points of a tensor.
const MOST_SCALES: u64 = 1_000_000;
/// Bytes of a tensor of few integers.
const SMALL: u64 = 64;
/// Numbers of `TensorType`.
const INT32: u8 = 2;
const INT64: u8 = 4;
/// Bytes of a name.
const LONGEST_NAME: u64 = 512;

struct Extract<'a, 'b> {
    flat: Flat<'a, 'b>,
    schema: &'static Schema,
    left: u64,
    /// Where the list of buffers is.
    listed: u64,
    buffers: Buffers,
}

/// Takes the model out.
pub(super) fn extract(pages: &mut Pages<'_>, schema: &'static Schema) -> io::Result<Model> {
    let mut extract = Extract {
        flat: Flat { pages },
        schema,
        left: MOST_PARTS,
        listed: 0,
        buffers: Buffers::default(),
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

    /// A name to show; empty where it cannot be read.
    fn hint(&mut self, table: &Found) -> io::Result<Vec<u8>> {
        match self.name(table, "Tensor.name") {
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => Err(error),
            name => Ok(name.ok().flatten().unwrap_or_default()),
        }
    }

    fn model(&mut self, root: &Found) -> io::Result<Model> {
        let graphs = self.id("Model.subgraphs");
        let mut model = Model {
            has_graphs: self.flat.field_offset(root, graphs)?.is_some(),
            version: self.flat.u32(root, self.id("Model.version"))?,
            ..Model::default()
        };
        let mut codes = Vec::new();
        for code in self.tables(root, "Model.operator_codes")? {
            codes.push(self.code(&code)?);
        }
        if let Some((start, count)) = self.flat.vector(root, self.id("Model.buffers"))? {
            self.listed = start;
            self.buffers.count = count;
            // The first must be empty, which is looked at.
            self.stored(0)?;
        }
        for graph in self.tables(root, "Model.subgraphs")? {
            let is_first = model.graphs.is_empty();
            model.graphs.push(self.graph(&graph, &codes, is_first)?);
        }
        for signature in self.tables(root, "Model.signature_defs")? {
            model.signatures.push(self.signature(&signature)?);
        }
        for metadata in self.tables(root, "Model.metadata")? {
            let buffer = self.flat.u32(&metadata, self.id("Metadata.buffer"))?;
            if self.stored(buffer)?.is_some_and(|it| it.length > 0) {
                // Unlike other names, it is read by its length.
                self.flat.items(&metadata, self.id("Metadata.name"), 1)?;
            }
            model.metadata.push(buffer);
        }
        model.codes = codes;
        model.buffers = std::mem::take(&mut self.buffers);
        model.is_partial = self.left == 0;
        Ok(model)
    }

    /// A buffer that somebody names; the list may say that there are more than the file could hold.
    fn stored(&mut self, index: u32) -> io::Result<Option<Buffer>> {
        if u64::from(index) >= self.buffers.count {
            return Ok(None);
        }
        if let Some(buffer) = self.buffers.named.get(&index) {
            return Ok(Some(*buffer));
        }
        let at = self.listed + 4 * u64::from(index);
        let target = at + u64::from(self.flat.pages.u32(at)?);
        let table = self.flat.table(target)?;
        let buffer = self.buffer(&table)?;
        self.buffers.named.insert(index, buffer);
        Ok(Some(buffer))
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
        let has_data = self.flat.field_offset(table, self.id("Buffer.data"))?;
        // 0 and 1 are placeholders of writers that did not come to fill them in.
        if offset > 1 && has_data.is_none() {
            return Ok(Buffer {
                at: offset,
                length: size,
                has_data: true,
                is_outside: true,
            });
        }
        let data = self.flat.items(table, self.id("Buffer.data"), 1)?;
        let (at, length) = data.unwrap_or_default();
        Ok(Buffer {
            at,
            length,
            has_data: data.is_some(),
            is_outside: false,
        })
    }

    fn graph(&mut self, table: &Found, codes: &[Code], is_first: bool) -> io::Result<Graph> {
        let tensors = self.id("SubGraph.tensors");
        self.flat.text(table, self.id("SubGraph.name"), 0)?;
        let mut graph = Graph {
            has_tensors: self.flat.field_offset(table, tensors)?.is_some(),
            inputs: self.numbers(table, "SubGraph.inputs")?,
            outputs: self.numbers(table, "SubGraph.outputs")?,
            ..Graph::default()
        };
        let mut tables = Vec::new();
        for tensor in self.tables(table, "SubGraph.tensors")? {
            graph.tensors.push(self.tensor(&tensor)?);
            tables.push(tensor);
        }
        // Names of others than these are kept as they are and looked at by nobody.
        let named = graph.inputs.iter().chain(&graph.outputs);
        for index in named.filter(|_| is_first) {
            let index = usize::try_from(*index).unwrap_or(usize::MAX);
            if let (Some(table), Some(tensor)) = (tables.get(index), graph.tensors.get_mut(index)) {
                tensor.name = self.name(table, "Tensor.name")?.unwrap_or_default();
            }
        }
        for operator in self.tables(table, "SubGraph.operators")? {
            graph.operators.push(self.operator(&operator, codes)?);
        }
        Ok(graph)
    }

    fn tensor(&mut self, table: &Found) -> io::Result<TensorPart> {
        let kind = self.flat.u8(table, self.id("Tensor.type"))?;
        let sparsity = self.id("Tensor.sparsity");
        let buffer = self.flat.u32(table, self.id("Tensor.buffer"))?;
        let stored = self.stored(buffer)?;
        let values = self.small_values(kind, stored.as_ref())?;
        if stored.is_some_and(|buffer| buffer.length > 0)
            && let Some(sparsity) = self.flat.child(table, sparsity)?
        {
            self.touch(&sparsity, "SparsityParameters", &mut HashMap::new())?;
        }
        let quantization = self.flat.child(table, self.id("Tensor.quantization"))?;
        Ok(TensorPart {
            name: self.hint(table)?,
            kind: kind.cast_signed(),
            shape: self.numbers(table, "Tensor.shape")?,
            signature: self.numbers(table, "Tensor.shape_signature")?,
            buffer,
            is_variable: self.flat.u8(table, self.id("Tensor.is_variable"))? != 0,
            is_sparse: self.flat.field_offset(table, sparsity)?.is_some(),
            quantization: match quantization {
                Some(table) => Some(self.quantization(&table)?),
                None => None,
            },
            values,
        })
    }

    fn small_values(&mut self, kind: u8, buffer: Option<&Buffer>) -> io::Result<Vec<i64>> {
        let buffer = buffer.filter(|it| it.length <= SMALL);
        let Some(buffer) = buffer.filter(|_| matches!(kind, INT32 | INT64)) else {
            return Ok(Vec::new());
        };
        let width = if kind == INT32 { 4 } else { 8 };
        let places = (0..buffer.length / width).map(|it| buffer.at.saturating_add(it * width));
        places
            .map(|at| match kind {
                INT32 => self.flat.pages.i32(at).map(i64::from),
                _ => self.flat.pages.u64(at).map(u64::cast_signed),
            })
            .collect()
    }

    fn quantization(&mut self, table: &Found) -> io::Result<Quantization> {
        let dimension = self.id("QuantizationParameters.quantized_dimension");
        let scales = self.id("QuantizationParameters.scale");
        let zero_points = self.id("QuantizationParameters.zero_point");
        let mut quantization = Quantization {
            dimension: self.flat.i32(table, dimension)?,
            ..Quantization::default()
        };
        if let Some((start, count)) = self.flat.items(table, scales, 4)? {
            quantization.scales = count;
            for number in 0..count.min(MOST_SCALES) {
                let scale = f32::from_bits(self.flat.pages.u32(start + 4 * number)?);
                if number == 0 {
                    quantization.first_scale = scale;
                }
                if quantization.odd_scale.is_none() && !(scale.is_finite() && scale > 0.0) {
                    quantization.odd_scale = Some(scale);
                }
            }
        }
        if let Some((start, count)) = self.flat.items(table, zero_points, 8)? {
            quantization.zero_points = count;
            for number in 0..count.min(MOST_SCALES) {
                // The interpreter keeps 32 bits of it.
                let zero = i64::from(self.flat.pages.i32(start + 8 * number)?);
                if number == 0 {
                    quantization.first_zero = zero;
                }
                quantization.least_zero = quantization.least_zero.min(zero);
                quantization.greatest_zero = quantization.greatest_zero.max(zero);
            }
        }
        Ok(quantization)
    }

    fn operator(&mut self, table: &Found, codes: &[Code]) -> io::Result<Operator> {
        let code = self.flat.u32(table, self.id("Operator.opcode_index"))?;
        let builtin = codes.get(code as usize).map_or(-1, |code| code.builtin);
        let builtin = self.schema.member("BuiltinOperator", builtin);
        let kind = self.id("Operator.builtin_options_type");
        let kind = self.flat.u8(table, kind)?;
        let options = self.id("Operator.builtin_options");
        let options = self.flat.target(table, options)?;
        let name = self.schema.member("BuiltinOptions", i64::from(kind));
        let mut numbers = HashMap::new();
        if let (Some(at), Some(name)) = (options, name)
            && builtin.is_none_or(reads_options)
        {
            let options = self.flat.table(at)?;
            self.touch(&options, name, &mut numbers)?;
        }
        let mut outside = (0, 0);
        if builtin == Some("CUSTOM") {
            let custom = self.id("Operator.custom_options");
            self.flat.items(table, custom, 1)?;
            let offset = self.id("Operator.large_custom_options_offset");
            let size = self.id("Operator.large_custom_options_size");
            outside = (self.flat.u64(table, offset)?, self.flat.u64(table, size)?);
        }
        Ok(Operator {
            code,
            inputs: self.numbers(table, "Operator.inputs")?,
            outputs: self.numbers(table, "Operator.outputs")?,
            intermediates: self.numbers(table, "Operator.intermediates")?,
            options_name: name.unwrap_or_default(),
            options: numbers,
            outside_options: (outside.0 > 1).then_some(outside),
        })
    }

    /// Looks at every field of a table; numbers are kept by name, of lists how long they are.
    fn touch(
        &mut self,
        table: &Found,
        name: &str,
        numbers: &mut HashMap<&'static str, i64>,
    ) -> io::Result<()> {
        let fields = self
            .schema
            .table(name)
            .map_or(&[][..], |table| &table.fields);
        for (id, field) in fields.iter().enumerate() {
            let Some(field) = field else { continue };
            match field.kind {
                Kind::Number(bytes) => {
                    if self.flat.field_offset(table, id)?.is_some() {
                        let number = match bytes {
                            1 => i64::from(self.flat.u8(table, id)?.cast_signed()),
                            4 => i64::from(self.flat.i32(table, id)?),
                            _ => 0,
                        };
                        numbers.insert(field.name, number);
                    }
                }
                Kind::Numbers(bytes) => {
                    let items = self.flat.items(table, id, bytes)?;
                    numbers.insert(field.name, items.map_or(0, |(_, count)| count as i64));
                }
                Kind::Text => {
                    self.flat.text(table, id, 0)?;
                }
                // Of one level: no options have tables of their own that have tables.
                Kind::Tables(inner) => {
                    for table in self.flat.children(table, id, MOST_NUMBERS)? {
                        if inner != name {
                            self.touch(&table, inner, &mut HashMap::new())?;
                        }
                    }
                }
                Kind::Union(union) => {
                    let member = self.flat.u8(table, id.saturating_sub(1))?;
                    let member = self.schema.member(union, i64::from(member));
                    if let (Some(inner), Some(member)) = (self.flat.child(table, id)?, member) {
                        self.touch(&inner, member, &mut HashMap::new())?;
                    }
                }
                Kind::Texts | Kind::Table(_) => {}
            }
        }
        Ok(())
    }

    fn signature(&mut self, table: &Found) -> io::Result<Signature> {
        let key = self.name(table, "SignatureDef.signature_key")?;
        let is_whole = ["SignatureDef.inputs", "SignatureDef.outputs"].map(|it| self.id(it));
        let [inputs, outputs] = is_whole.map(|it| self.flat.field_offset(table, it));
        let is_whole = key.is_some() && inputs?.is_some() && outputs?.is_some();
        let graph = self.id("SignatureDef.subgraph_index");
        Ok(Signature {
            is_whole,
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
