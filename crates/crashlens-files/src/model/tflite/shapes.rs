//! Shapes as the interpreter works them out: operators are prepared in their order, each from the shapes that those
//! before it left. What a model declares for the tensors in between counts for nothing.

mod axes;
mod step;

use self::step::{Shape, Step, declared, look};
use super::check::{Check, field};
use super::operators::name_of;
use super::parts::TensorPart;

/// Graphs in each other; a graph that runs itself is told elsewhere.
const DEEPEST: usize = 8;
/// Operators that are prepared, all graphs together.
const MOST_OPERATORS: usize = 400_000;

impl Check<'_> {
    /// Prepares the first graph, and those that it runs.
    pub(super) fn shapes(&mut self) {
        let Some(graph) = self.model.graphs.first() else {
            return;
        };
        let inputs = graph.inputs.iter();
        let inputs = inputs.map(|index| graph.tensor(*index).and_then(given));
        let mut left = MOST_OPERATORS;
        self.prepare(0, inputs.collect(), DEEPEST, &mut left);
    }

    fn prepare(
        &mut self,
        number: usize,
        inputs: Vec<Option<Shape>>,
        deep: usize,
        left: &mut usize,
    ) {
        let model = self.model;
        let Some(graph) = model.graphs.get(number) else {
            return;
        };
        let mut known: Vec<Option<Shape>> = graph
            .tensors
            .iter()
            .map(|tensor| self.is_stored(tensor).then(|| declared(tensor)))
            .collect();
        for (index, shape) in graph.inputs.iter().zip(inputs) {
            set(&mut known, *index, shape);
        }
        for (place, operator) in graph.operators.iter().enumerate() {
            if *left == 0 {
                return;
            }
            *left -= 1;
            let name = name_of(model, self.schema, operator).unwrap_or_default();
            let step = Step {
                name,
                graph,
                operator,
                known: &known,
            };
            let shape = step.outcome().unwrap_or_else(|detail| {
                self.note(
                    field(format!("subgraphs[{number}].operators[{place}]")),
                    detail,
                );
                None
            });
            let given = usize::from(name == "IF");
            let given: Vec<_> = operator.inputs.iter().skip(given).collect();
            let given: Vec<_> = given.iter().map(|it| look(&known, **it).cloned()).collect();
            for index in operator.outputs.iter().skip(1) {
                // The parts of a split are alike.
                let part = shape.as_ref().filter(|_| name == "SPLIT");
                set(&mut known, *index, part.cloned());
            }
            if let Some(index) = operator.outputs.first() {
                set(&mut known, *index, shape);
            }
            for called in operator.called(name) {
                if let Some(called) = usize::try_from(called).ok().filter(|_| deep > 0) {
                    self.prepare(called, given.clone(), deep - 1, left);
                }
            }
        }
    }
}

/// The shape that an input has when nobody gives it another; not where the model leaves more than the batch open, for
/// then somebody does.
fn given(tensor: &TensorPart) -> Option<Shape> {
    let is_open = tensor.signature.iter().skip(1).any(|it| *it < 0);
    (!is_open).then(|| declared(tensor))
}

fn set(known: &mut [Option<Shape>], index: i32, shape: Option<Shape>) {
    let slot = usize::try_from(index).ok().and_then(|it| known.get_mut(it));
    if let Some(slot) = slot {
        *slot = shape;
    }
}
