//! rsp-rs 0.3.5 as an adapter of lars: `cargo build --release`, then
//! `lars record QUERY TRACE --adapter target/release/rsp-rs-adapter`.
//!
//! The engine's windows take triples in threads of their own, and nothing tells when they have: here the
//! window that a stream feeds is called in the thread of the push, with the very call that its thread makes.
//! Rows come as Rust's debugging text, the only form in which the engine gives them.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::io::{self, BufRead, Write};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::mpsc::Receiver;

use oxigraph::io::{RdfFormat, RdfParser};
use oxigraph::model::{BlankNode, NamedOrBlankNode, Quad, Term};
use oxigraph::sparql::SparqlEvaluator;
use rsp_rs::{BindingWithTimestamp, RSPEngine};
use serde_json::{json, Map, Value};

struct Run {
    engine: RSPEngine,
    rows: Receiver<BindingWithTimestamp>,
}

fn main() {
    let mut run = None;
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        if line.trim().is_empty() {
            continue;
        }
        let reply = answer(&line, &mut run).unwrap_or_else(|error| json!({ "error": error }));
        println!("{reply}");
        io::stdout().flush().expect("standard output is open");
    }
}

fn answer(line: &str, run: &mut Option<Run>) -> Result<Value, String> {
    let message: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    match (message["op"].as_str(), &run) {
        (Some("open"), _) => {
            *run = None;
            *run = Some(open(&message)?);
            Ok(json!({
                "ok": true, "engine": "rsp-rs-0.3.5", "time_unit": "1ms", "dialect": "rspql", "reads_ahead": true
            }))
        }
        (_, None) => Err("no query is open".to_string()),
        (Some("push"), Some(open)) => push(&message, open),
        (Some("close"), Some(_)) => {
            *run = None; // what is still open is never reported
            Ok(json!({ "reports": [] }))
        }
        _ => Err("accepted: open, push, close".to_string()),
    }
}

fn open(message: &Value) -> Result<Run, String> {
    let query = message["query"].as_str().unwrap_or_default();
    let mut engine = RSPEngine::new(query.to_string());
    if engine.parsed_query().s2r.is_empty() {
        return Err("no line FROM NAMED WINDOW <name> ON STREAM <stream> [RANGE n STEP n]".to_string());
    }
    // The engine itself would say nothing, and never answer.
    let _ = SparqlEvaluator::new()
        .parse_query(&engine.parsed_query().sparql_query)
        .map_err(|error| error.to_string())?;
    engine.initialize()?;
    for line in message["static"].as_array().into_iter().flatten() {
        engine.add_static_data(quad(line.as_str().unwrap_or_default(), "static")?);
    }
    let rows = engine.start_processing();
    Ok(Run { engine, rows })
}

fn push(message: &Value, run: &Run) -> Result<Value, String> {
    let stream = message["stream"].as_str().unwrap_or_default();
    let t = message["t"].as_f64().unwrap_or(f64::NAN);
    if t.fract() != 0.0 {
        return Ok(json!({ "reports": [], "refused": "a time is a whole number" }));
    }
    let t = t as i64;
    let line = message["triple"].as_str().unwrap_or_default();
    let mut element = DefaultHasher::new();
    (line, stream, t).hash(&mut element);
    let quad = quad(line, &format!("n{}x", element.finish()))?;
    // A stream is known by its name: of two windows on it the last is fed.
    let windows = &run.engine.parsed_query().s2r;
    let Some(fed) = windows.iter().rev().find(|window| window.stream_name == stream) else {
        return Ok(json!({ "reports": [] }));
    };
    let window = run.engine.get_window(&fed.window_name).ok_or("the window is gone")?;
    let taken = catch_unwind(AssertUnwindSafe(|| match window.lock() {
        Ok(mut held) => {
            held.add(quad, t);
            Ok(())
        }
        Err(_) => Err("the thread of the window has ended".to_string()),
    }));
    let reports = reports(t, run)?;
    match taken {
        Ok(Ok(())) => Ok(json!({ "reports": reports })),
        Ok(Err(problem)) => Ok(json!({ "reports": reports, "refused": problem })),
        Err(panic) => {
            let said = panic.downcast_ref::<String>().cloned();
            let said = said.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string()));
            let problem = format!("the thread of the window ends: {}", said.unwrap_or_default());
            Ok(json!({ "reports": reports, "refused": problem }))
        }
    }
}

/// Reads a line. Its blank nodes get labels of their scope, which begin with a letter that is no
/// hexadecimal digit: the engine prints other labels as numbers.
fn quad(line: &str, scope: &str) -> Result<Quad, String> {
    let mut found = RdfParser::from_format(RdfFormat::NQuads).for_slice(line.as_bytes());
    let Some(quad) = found.next() else { return Err(format!("no triple: {line}")) };
    let mut quad = quad.map_err(|error| error.to_string())?;
    let renamed = |node: &BlankNode| BlankNode::new_unchecked(format!("{scope}{}", node.as_str()));
    if let NamedOrBlankNode::BlankNode(node) = &quad.subject {
        quad.subject = renamed(node).into();
    }
    if let Term::BlankNode(node) = &quad.object {
        quad.object = renamed(node).into();
    }
    Ok(quad)
}

/// The rows that have come, those of one window as one report.
fn reports(t: i64, run: &Run) -> Result<Vec<Value>, String> {
    let mut found: Vec<(i64, i64, Vec<Value>)> = Vec::new();
    for row in run.rows.try_iter() {
        let content = Value::Object(read_row(&row.bindings)?);
        match found.last_mut() {
            Some((from, to, rows)) if (*from, *to) == (row.timestamp_from, row.timestamp_to) => rows.push(content),
            _ => found.push((row.timestamp_from, row.timestamp_to, vec![content])),
        }
    }
    let report = |(from, to, rows)| json!({ "t": t, "rows": rows, "window_from": from, "window_to": to });
    Ok(found.into_iter().map(report).collect())
}

/// A name or a quoted text of Rust's debugging text; what stands between them is left out.
enum Token {
    Name(String),
    Text(String),
}

/// Reads `{Variable { name: "s" }: NamedNode(NamedNode { iri: "http://e/a" }), ..}`.
fn read_row(text: &str) -> Result<Map<String, Value>, String> {
    let mut row = Map::new();
    let mut tokens = tokens(text)?.into_iter().peekable();
    let odd = || format!("a row that is not understood: {text}");
    while tokens.next().is_some() {
        // Variable, name
        tokens.next();
        let Some(Token::Text(variable)) = tokens.next() else { return Err(odd()) };
        let (mut kinds, mut texts) = (Vec::new(), Vec::new());
        while let Some(token) = tokens.next_if(|one| !matches!(one, Token::Name(name) if name == "Variable")) {
            match token {
                Token::Name(name) => kinds.push(name),
                Token::Text(text) => texts.push(text),
            }
        }
        let kind = |name: &str| kinds.iter().any(|one| one == name);
        let term = match texts.as_slice() {
            [value] if kind("Literal") => literal(value),
            [value, tag] if kind("LanguageTaggedString") => format!("{}@{tag}", literal(value)),
            [value, datatype] if kind("TypedLiteral") => format!("{}^^<{datatype}>", literal(value)),
            [label] if kind("BlankNode") => format!("_:{label}"),
            [iri] if kind("NamedNode") => format!("<{iri}>"),
            _ => return Err(odd()),
        };
        row.insert(variable, Value::String(term));
    }
    Ok(row)
}

fn literal(value: &str) -> String {
    let escaped = value.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", escaped.replace('\n', "\\n").replace('\r', "\\r"))
}

fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut found = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(one) = rest.next() {
        if one == '"' {
            let mut quoted = String::new();
            loop {
                match rest.next().ok_or("a row is cut off")? {
                    '"' => break,
                    '\\' => quoted.push(escaped(&mut rest)?),
                    other => quoted.push(other),
                }
            }
            found.push(Token::Text(quoted));
        } else if one.is_alphabetic() {
            let mut name = String::from(one);
            while let Some(more) = rest.next_if(|next| next.is_alphanumeric() || *next == '_') {
                name.push(more);
            }
            found.push(Token::Name(name));
        }
    }
    Ok(found)
}

fn escaped(rest: &mut impl Iterator<Item = char>) -> Result<char, String> {
    match rest.next().ok_or("a row is cut off")? {
        'n' => Ok('\n'),
        'r' => Ok('\r'),
        't' => Ok('\t'),
        '0' => Ok('\0'),
        'u' => {
            let digits: String = rest.skip(1).take_while(|one| *one != '}').collect();
            let code = u32::from_str_radix(&digits, 16).map_err(|error| error.to_string())?;
            char::from_u32(code).ok_or_else(|| format!("no character: {digits}"))
        }
        other => Ok(other),
    }
}
