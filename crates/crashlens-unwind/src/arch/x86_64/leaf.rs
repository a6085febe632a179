//! What a short function would return, found without running it.
//!
//! `what()` of most exceptions loads a pointer or takes the address of a text; `__cxa_get_globals` asks for
//! the address of a thread-local variable. Both are a handful of instructions without a branch. Anything else
//! gives no answer.

use iced_x86::{Code, Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};

use super::LONGEST_INSTRUCTION;
use crate::ReadMemory;

/// Instructions before a function is given up.
const MOST_INSTRUCTIONS: usize = 32;

/// Answers for functions that are called: from the first argument to the returned value.
pub(crate) type Callee<'a> = &'a dyn Fn(u64) -> Option<u64>;

/// A function as it is followed.
pub(crate) struct Leaf<'a> {
    pub(crate) memory: &'a dyn ReadMemory,
    /// Base of the thread's own memory.
    pub(crate) thread_pointer: u64,
    pub(crate) callee: Callee<'a>,
}

/// Integer registers by their number; `None` once a value is not known.
type Values = [Option<u64>; 16];

impl Leaf<'_> {
    /// What the function at `start` returns for `argument`.
    pub(crate) fn returned(&self, start: u64, argument: u64) -> Option<u64> {
        let mut values: Values = [None; 16];
        values[Register::RDI.number()] = Some(argument);
        let mut here = start;
        for _ in 0..MOST_INSTRUCTIONS {
            let code = self.code(here)?;
            let instruction = Decoder::with_ip(64, &code, here, DecoderOptions::NONE).decode();
            match instruction.mnemonic() {
                Mnemonic::Ret => return values[Register::RAX.number()],
                Mnemonic::Jmp => here = self.target(&instruction, &values)?,
                _ => {
                    self.step(&instruction, &mut values)?;
                    here = instruction.next_ip();
                }
            }
        }
        None
    }

    fn code(&self, address: u64) -> Option<Vec<u8>> {
        // The last instruction of a mapping has nothing behind it.
        let to_page_end = (0x1000 - (address & 0xfff)) as usize;
        let short = LONGEST_INSTRUCTION.min(to_page_end);
        self.memory
            .bytes(address, LONGEST_INSTRUCTION)
            .or_else(|_| self.memory.bytes(address, short))
            .ok()
    }

    /// Where a jump goes: directly, or through a table of the linker.
    fn target(&self, jump: &Instruction, values: &Values) -> Option<u64> {
        match jump.op0_kind() {
            OpKind::NearBranch64 => Some(jump.near_branch64()),
            _ => self.operand(jump, 0, values),
        }
    }

    /// Carries out one instruction. `None` if it is one that short functions do not have.
    fn step(&self, instruction: &Instruction, values: &mut Values) -> Option<()> {
        let target = instruction.op0_register();
        match instruction.mnemonic() {
            Mnemonic::Endbr64 | Mnemonic::Nop | Mnemonic::Push => {}
            Mnemonic::Add | Mnemonic::Sub if target == Register::RSP => {}
            Mnemonic::Call => {
                let argument = values[Register::RDI.number()]?;
                *values = [None; 16];
                values[Register::RAX.number()] = Some((self.callee)(argument)?);
            }
            Mnemonic::Pop => set(values, target, None)?,
            Mnemonic::Lea => {
                let address = self.address(instruction, 1, values);
                set(values, target, address)?;
            }
            Mnemonic::Mov => {
                let value = self.operand(instruction, 1, values);
                set(values, target, value)?;
            }
            Mnemonic::Add => {
                let (old, operand) = (get(values, target)?, self.operand(instruction, 1, values)?);
                set(values, target, Some(old.wrapping_add(operand)))?;
            }
            Mnemonic::Sub => {
                let (old, operand) = (get(values, target)?, self.operand(instruction, 1, values)?);
                set(values, target, Some(old.wrapping_sub(operand)))?;
            }
            Mnemonic::Xor if instruction.code() == Code::Xor_r32_rm32 => {
                let same = target == instruction.op1_register();
                set(values, target, same.then_some(0))?;
            }
            _ => return None,
        }
        Some(())
    }

    fn operand(&self, instruction: &Instruction, index: u32, values: &Values) -> Option<u64> {
        match instruction.op_kind(index) {
            OpKind::Register => get(values, instruction.op_register(index)),
            OpKind::Memory if instruction.memory_size().size() == 8 => self
                .memory
                .u64(self.address(instruction, index, values)?)
                .ok(),
            OpKind::Memory => None,
            _ => instruction.try_immediate(index).ok(),
        }
    }

    fn address(&self, instruction: &Instruction, index: u32, values: &Values) -> Option<u64> {
        // `lea` names memory without touching it, so a segment has no part in it.
        let fs_base = if instruction.mnemonic() == Mnemonic::Lea {
            0
        } else {
            self.thread_pointer
        };
        instruction.virtual_address(index, 0, |register, _, _| match register {
            Register::FS => Some(fs_base),
            Register::DS | Register::ES | Register::SS | Register::CS => Some(0),
            register => get(values, register),
        })
    }
}

fn get(values: &Values, register: Register) -> Option<u64> {
    let value = register
        .is_gpr64()
        .then(|| values.get(register.number()).copied().flatten())?;
    value.filter(|_| register != Register::RSP)
}

/// Writing the lower half of a register clears the upper one.
fn set(values: &mut Values, register: Register, value: Option<u64>) -> Option<()> {
    let slot = values.get_mut(register.full_register().number())?;
    *slot = value.filter(|_| register.is_gpr64() || register.is_gpr32());
    if register.is_gpr32() {
        *slot = slot.map(|value| value & 0xffff_ffff);
    }
    (register.is_gpr64() || register.is_gpr32()).then_some(())
}
