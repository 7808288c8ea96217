//! Floats: the shortest digits that read back, or as many as asked for.

use towpath_yaml::{positional, shortest_digits};

use super::Printer;

/// A finite or infinite float as Go's `strconv.FormatFloat` writes it; without a precision, the fewest digits
/// that read back as the same number.
pub fn format_float(number: f64, verb: char, precision: Option<usize>) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    match (verb, precision) {
        ('f', Some(precision)) => format!("{number:.precision$}"),
        ('f', None) => {
            let (mantissa, exponent) = shortest_digits(number);
            positional(&mantissa, exponent)
        }
        ('e' | 'E', Some(precision)) => exponential(&format!("{number:.precision$e}"), verb),
        ('e' | 'E', None) => {
            let (mantissa, exponent) = shortest_digits(number);
            with_exponent(&mantissa, exponent, verb)
        }
        ('x' | 'X', precision) => hexadecimal(number, verb, precision),
        ('b', _) => binary(number),
        (_, precision) => general(number, verb, precision),
    }
}

fn exponential(scientific: &str, verb: char) -> String {
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    with_exponent(mantissa, exponent.parse().unwrap_or(0), verb)
}

fn with_exponent(mantissa: &str, exponent: i32, e: char) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}{e}{sign}{:02}", exponent.unsigned_abs())
}

/// `%g`: plain digits for small exponents, and no zeros at the end.
fn general(number: f64, verb: char, precision: Option<usize>) -> String {
    let (mantissa, exponent) = match precision {
        None => shortest_digits(number),
        Some(precision) => {
            let digits = precision.max(1) - 1;
            let scientific = format!("{number:.digits$e}");
            let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
            let mantissa = if mantissa.contains('.') {
                mantissa.trim_end_matches('0').trim_end_matches('.')
            } else {
                mantissa
            };
            (mantissa.to_owned(), exponent.parse().unwrap_or(0))
        }
    };
    let digits = mantissa.bytes().filter(u8::is_ascii_digit).count();
    let limit = match precision {
        None => 6,
        Some(precision) => {
            let precision = precision.max(1);
            let whole = usize::try_from(exponent + 1).is_ok_and(|point| digits >= point);
            if precision > digits && whole { digits } else { precision }
        }
    };
    let limit = i32::try_from(limit).unwrap_or(i32::MAX);
    if exponent < -4 || exponent >= limit {
        with_exponent(&mantissa, exponent, if verb == 'G' { 'E' } else { 'e' })
    } else {
        positional(&mantissa, exponent)
    }
}

fn parts(number: f64) -> (bool, u64, i32) {
    let bits = number.to_bits();
    let raw = i32::try_from((bits >> 52) & 0x7ff).unwrap_or(0);
    let fraction = bits & ((1 << 52) - 1);
    let (mantissa, exponent) = if raw == 0 { (fraction, 1) } else { (fraction | (1 << 52), raw) };
    (number.is_sign_negative(), mantissa, exponent - 1023)
}

fn binary(number: f64) -> String {
    let (negative, mantissa, exponent) = parts(number);
    let sign = if negative { "-" } else { "" };
    format!("{sign}{mantissa}p{:+}", exponent - 52)
}

fn hexadecimal(number: f64, verb: char, precision: Option<usize>) -> String {
    let (negative, mut mantissa, mut exponent) = parts(number);
    if mantissa == 0 {
        exponent = 0;
    }
    // The first digit is 1: four bits before the point, sixty behind.
    while mantissa != 0 && mantissa < 1 << 52 {
        mantissa <<= 1;
        exponent -= 1;
    }
    mantissa <<= 8;
    if let Some(precision) = precision.filter(|precision| *precision < 15) {
        let shift = precision * 4;
        let extra = (mantissa << shift) & ((1 << 60) - 1);
        mantissa >>= 60 - shift;
        if extra | (mantissa & 1) > 1 << 59 {
            mantissa += 1;
        }
        mantissa <<= 60 - shift;
        if mantissa >= 1 << 61 {
            mantissa >>= 1;
            exponent += 1;
        }
    }
    let digits = format!("{:015x}", mantissa & ((1 << 60) - 1));
    let digits = match precision {
        None => digits.trim_end_matches('0').to_owned(),
        Some(precision) => format!("{digits:0<precision$}").chars().take(precision).collect(),
    };
    let point = if digits.is_empty() { "" } else { "." };
    let sign = if negative { "-" } else { "" };
    let way = if exponent < 0 { '-' } else { '+' };
    let text = format!("{sign}0x{}{point}{digits}p{way}{:02}", mantissa >> 60, exponent.unsigned_abs());
    if verb == 'X' { text.to_uppercase() } else { text }
}

impl Printer<'_> {
    /// A float by its verb; `None` when the verb is not for floats.
    pub(super) fn float(&mut self, number: f64, verb: char) -> Option<()> {
        let (verb, precision) = match verb {
            'v' => ('g', None),
            'b' | 'g' | 'G' | 'x' | 'X' => (verb, None),
            'f' | 'e' | 'E' => (verb, Some(6)),
            'F' => ('f', Some(6)),
            _ => return None,
        };
        let precision = self.flags.precision.or(precision);
        let mut text = format_float(number, verb, precision);
        if !text.starts_with(['-', '+']) {
            text.insert(0, '+');
        }
        if self.flags.space && text.starts_with('+') && !self.flags.plus {
            text.replace_range(..1, " ");
        }
        if !number.is_finite() {
            // An infinity keeps its sign, a NaN has one when it was asked for.
            let skip = usize::from(number.is_nan() && !self.flags.space && !self.flags.plus);
            self.pad_with_spaces(text.as_bytes().get(skip..).unwrap_or_default());
            return Some(());
        }
        if self.flags.sharp && verb != 'b' {
            text = with_point(&text, verb, precision);
        }
        if !self.flags.plus && text.starts_with('+') {
            self.pad(text.as_bytes().get(1..).unwrap_or_default());
            return Some(());
        }
        let flags = &self.flags;
        let width = flags.width.unwrap_or(0);
        if flags.zero && !flags.minus && width > text.len() {
            let (sign, digits) = text.split_at_checked(1)?;
            self.write(sign);
            self.padding(width - text.len());
            self.write(digits);
        } else {
            self.pad(text.as_bytes());
        }
        Some(())
    }

    pub(super) fn complex(&mut self, number: (f64, f64), verb: char) -> Option<()> {
        if !matches!(verb, 'v' | 'b' | 'g' | 'G' | 'x' | 'X' | 'f' | 'F' | 'e' | 'E') {
            return None;
        }
        self.write("(");
        self.float(number.0, verb)?;
        let plus = std::mem::replace(&mut self.flags.plus, true);
        self.float(number.1, verb)?;
        self.flags.plus = plus;
        self.write("i)");
        Some(())
    }
}

/// `%#g`: a point always, and the zeros that `%g` takes away.
fn with_point(text: &str, verb: char, precision: Option<usize>) -> String {
    let mut digits = match verb {
        'g' | 'G' | 'x' => i64::try_from(precision.unwrap_or(6)).unwrap_or(i64::MAX),
        _ => 0,
    };
    let hex = matches!(verb, 'x' | 'X');
    let tail_at = text
        .char_indices()
        .skip(1)
        .find(|(_, one)| matches!(one, 'p' | 'P') || !hex && matches!(one, 'e' | 'E'))
        .map_or(text.len(), |(at, _)| at);
    let (body, tail) = text.split_at_checked(tail_at).unwrap_or((text, ""));
    let mut seen = false;
    for byte in body.bytes().skip(1).filter(|byte| *byte != b'.') {
        seen |= byte != b'0';
        digits -= i64::from(seen);
    }
    let mut body = body.to_owned();
    if !body.contains('.') {
        digits -= i64::from(body.len() == 2 && body.ends_with('0'));
        body.push('.');
    }
    let zeros = usize::try_from(digits).unwrap_or(0);
    format!("{body}{}{tail}", "0".repeat(zeros))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_digits_read_back() {
        let shown = |number| format_float(number, 'g', None);
        assert_eq!(shown(1e6), "1e+06");
        assert_eq!(shown(123_456.0), "123456");
        assert_eq!(shown(0.00003), "3e-05");
        assert_eq!(shown(-0.0), "-0");
        assert_eq!(format_float(1234.5678, 'e', Some(3)), "1.235e+03");
        assert_eq!(format_float(100_000.0, 'g', Some(3)), "1e+05");
        assert_eq!(format_float(7.5, 'x', None), "0x1.ep+02");
    }
}
