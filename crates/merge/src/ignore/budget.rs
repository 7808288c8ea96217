//! Stops an expression that runs too long or too deep.
//!
//! jaq asks for its table of terms before each step it takes. The table is handed out by [`Watched`], which
//! counts the steps, looks at the clock and at how far the stack has grown, and at the end of its patience
//! unwinds the thread that evaluates: that is the only way out of an interpreter that has none of its own. The
//! thread is ours, so nobody else is on its stack.
//!
//! Memory is limited only by what the steps allow: a rule that doubles a text again and again can still ask for
//! more than there is. Rules are configuration; who must not be trusted with that must not write them.

use std::cell::Cell;
use std::panic::resume_unwind;
use std::time::{Duration, Instant};

use jaq_core::compile::Lut;
use jaq_core::data::{DataT, HasLut};
use jaq_core::{Ctx, Native, Vars};
use jaq_json::Val;

/// Under a second with what starting and unwinding take.
const TIME: Duration = Duration::from_millis(900);
/// Twenty times what a search through an object of a megabyte takes. It also limits how deep a value can be
/// built, which is dropped by recursion.
const STEPS: u64 = 2_000_000;
/// How often the clock is read.
const STRIDE: u64 = 1024;
/// Of the stack, for the interpreter; the rest is for what it calls.
const DEPTH: usize = 16 << 20;
/// Only what is touched is really taken.
const STACK: usize = 256 << 20;

/// What an expression works on: JSON, under watch.
pub(super) struct Limited;

impl DataT for Limited {
    type V<'a> = Val;
    type Data<'a> = Watched<'a>;
}

#[derive(Clone)]
pub(super) struct Watched<'a> {
    terms: &'a Lut<Native<Limited>>,
    spent: &'a Spent,
}

struct Spent {
    steps: Cell<u64>,
    until: Instant,
    bottom: usize,
}

/// Why it was stopped; travels through the unwinding.
#[derive(Clone, Copy)]
struct Enough(&'static str);

impl<'a> HasLut<'a, Limited> for Watched<'a> {
    fn lut(&self) -> &'a Lut<Native<Limited>> {
        let steps = self.spent.steps.get() + 1;
        self.spent.steps.set(steps);
        if steps > STEPS {
            stop("it takes too many steps");
        }
        if steps.is_multiple_of(STRIDE) && Instant::now() > self.spent.until {
            stop("it takes longer than a second");
        }
        if address().abs_diff(self.spent.bottom) > DEPTH {
            stop("it calls itself too deeply");
        }
        self.terms
    }
}

fn stop(why: &'static str) -> ! {
    // Not a panic: nothing is printed, and the thread's owner gets the reason.
    resume_unwind(Box::new(Enough(why)))
}

/// About where the stack ends now.
#[inline(never)]
fn address() -> usize {
    let here = 0_u8;
    std::ptr::from_ref(std::hint::black_box(&here)).addr()
}

/// All values of `filter` over `input`, up to its first failure. The error says why it was stopped.
pub(super) fn run<T: Send>(
    filter: &jaq_core::Filter<Limited>,
    input: impl FnOnce() -> Option<Val> + Send,
    read: impl Fn(&Val) -> T + Sync,
) -> Result<Vec<T>, &'static str> {
    let evaluate = || {
        let until = Instant::now() + TIME;
        let spent = Spent { steps: Cell::new(0), until, bottom: address() };
        let context = Ctx::<Limited>::new(Watched { terms: &filter.lut, spent: &spent }, Vars::new([]));
        let values = input().into_iter().flat_map(|input| filter.id.run((context.clone(), input)));
        values.map_while(Result::ok).map(|value| read(&value)).collect()
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("jq".into()).stack_size(STACK);
        let Ok(thread) = thread.spawn_scoped(scope, evaluate) else {
            return Err("no thread could be started for it");
        };
        thread
            .join()
            .map_err(|why| why.downcast_ref::<Enough>().map_or("the interpreter failed", |Enough(why)| why))
    })
}
