# Finds misspelt sections, keys, presets and toggles in a study file before anything is built.
#
#   awk -f scripts/check-study.awk data/studies/quick.toml data/rules/examples.csv STUDY.toml
#
# quick.toml, which explains every key, says what there is; examples.csv names every toggle. What this
# does not understand it leaves to the program, whose own check is the complete one. Exits with 64 after
# the first mistake; else prints what the file asks for, in one line.

# Windows editors begin a text with a mark of its byte order and end lines with a carriage return.
FNR == 1 { file++; section = ""; depth = 0; sub(/^\357\273\277/, "") }
{ sub(/\r$/, "") }

# The known keys: those of quick.toml, also where they are commented out.
file == 1 {
  line = $0
  sub(/^# ?/, "", line)
  if (match(line, /^A rule set is a preset \(/)) collect = 1
  if (collect) {
    names = names line " "
    if (line ~ /\)/) { collect = 0; sub(/^[^(]*\(/, "", names); sub(/\).*/, "", names) }
  }
  if (match(line, /^Presets of other games \(/)) other = 1
  if (other) {
    others = others line " "
    if (line ~ /\)/) { other = 0; sub(/^[^(]*\(/, "", others); sub(/\).*/, "", others) }
  }
  if (match(line, /^\[[a-z.]+\]/)) {
    section = substr(line, 2, RLENGTH - 2)
    if (section ~ /^extra\./) section = "extra.NAME"
    sections[section] = ""
    sections["matches.NAME"] = ""
  }
  else if (match(line, /^[a-z0-9_]+ = /)) {
    key = substr(line, 1, RLENGTH - 3)
    if (!((section, key) in keys)) {
      keys[section, key] = 1
      sections[section] = sections[section] " " key
    }
  }
  next
}

file == 2 { if (FNR > 1) { split($0, cell, ","); toggles[cell[1]] = 1 } next }

file == 3 {
  if (FNR == 1) {
    count = split(names, list, /, */)
    for (i = 1; i <= count; i++) { gsub(/[ \t]/, "", list[i]); presets[list[i]] = 1 }
    # The program checks the toggles of other games.
    count = split(others, list, /, */)
    for (i = 1; i <= count; i++) { gsub(/[ \t]/, "", list[i]); presets[list[i]] = 2 }
  }
  code = uncommented($0)
  if (depth == 0 && match(code, /^[ \t]*\[[A-Za-z0-9_.-]+\][ \t]*$/)) {
    section = code
    key = ""
    gsub(/[][ \t]/, "", section)
    known = schema(section)
    if (!(known in sections)) fail("there is no section [" section "]. Sections: " all(sections))
  } else if (depth == 0 && match(code, /^[ \t]*[A-Za-z0-9_-]+[ \t]*=/)) {
    key = code
    sub(/[ \t]*=.*/, "", key)
    sub(/^[ \t]+/, "", key)
    if (section == "") fail("`" key "` is in no section; a study file begins with [study]")
    if (known !~ /(rules|labels|^published\..*)$/ && !has(known, key))
      fail("[" section "] has no key `" key "`. Its keys:" keys_of(known))
    holds_rules = key ~ /^(rules|primary|base|ablate)$/
    sub(/^[^=]*=/, "", code)
  }
  if (key != "") values[section, key] = values[section, key] code
  if (holds_rules && code !~ /[{]/) check_rules(code)
  bare = code
  gsub(/"[^"]*"/, "", bare)
  depth += gsub(/[[{]/, "", bare) - gsub(/[]}]/, "", bare)
  if (depth < 0) depth = 0
}

END {
  if (failed) exit 64
  line = part("", "study", "name", ":")
  line = line part(" rules ", "measure", "rules", ";") part(" mixes of ", "measure", "factorial", ";")
  line = line part(" every change of one toggle of ", "measure", "ablate", ";")
  line = line part(" ", "openings", "count", " openings;") part(" nodes a move ", "measure", "nodes", ";")
  gsub(/ +/, " ", line)
  sub(/[ :;]*$/, "", line)
  sub(/^ /, "", line)
  print "study " line
}

# The value of a key of the study, without quotes and brackets, between two texts; empty if not given.
function part(before, section, key, after,   text) {
  text = values[section, key]
  gsub(/[][" \t]/, "", text)
  gsub(/[{}=]/, " & ", text)
  gsub(/,$/, "", text)
  gsub(/,/, ", ", text)
  return text == "" ? "" : before text after
}

# A line without its comment.
function uncommented(line,   i, c, quoted, out) {
  for (i = 1; i <= length(line); i++) {
    c = substr(line, i, 1)
    if (c == "\"") quoted = !quoted
    if (c == "#" && !quoted) break
    out = out c
  }
  return out
}

# The section of quick.toml that explains this one.
function schema(name) {
  if (name ~ /^extra\.[A-Za-z0-9_-]+$/) return "measure"
  if (name ~ /^matches\.[A-Za-z0-9_-]+$/) return "strength"
  if (name ~ /\.search$/) return "measure.search"
  if (name ~ /\.sprt$/) return "train.gate.sprt"
  if (name ~ /\.stop$/) return "measure.stop"
  return name
}

function has(name, key) {
  if ((name, key) in keys) return 1
  # Keys that quick.toml gives under [extra.NAME] only, and tables written in one line.
  return section ~ /^extra\./ && (("extra.NAME", key) in keys) || key ~ /^(search|sprt|stop|rules|samples|gate)$/
}

function keys_of(name) {
  return sections[name] (section ~ /^extra\./ ? sections["extra.NAME"] : "")
}

function check_rules(code,   text, parts, count, i, name) {
  while (match(code, /"[^"]*"/)) {
    text = substr(code, RSTART + 1, RLENGTH - 2)
    code = substr(code, RSTART + RLENGTH)
    count = split(text, parts, ",")
    if (!(parts[1] in presets)) fail("there is no preset `" parts[1] "`. Presets: " all(presets))
    for (i = 2; i <= count && presets[parts[1]] == 1; i++) {
      name = parts[i]
      sub(/=.*/, "", name)
      if (!(name in toggles)) fail("there is no toggle `" name "`. Toggles: " all(toggles))
    }
  }
}

# The indices of an array in alphabetical order.
function all(array,   name, list, count, i, j, text) {
  for (name in array) {
    for (j = count++; j > 0 && list[j] > name; j--) list[j + 1] = list[j]
    list[j + 1] = name
  }
  for (i = 1; i <= count; i++) text = text (i > 1 ? ", " : "") list[i]
  return text
}

function fail(message) {
  printf "study: error: %s, line %d: %s\n", FILENAME, FNR, message > "/dev/stderr"
  failed = 1
  exit 64
}
