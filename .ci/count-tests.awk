# Adds up the closing lines of the test runners in a log: cargo test, Vitest, node --test, and a plain "N passed, N failed".
# Prints one line "N passed, N failed, N skipped". A runner that printed no closing line counts nothing, so the caller must
# also look at the exit status.

{ gsub(/\033\[[0-9;]*[A-Za-z]/, ""); sub(/\r$/, "") }

# test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out
/^test result: / { add($0) }

# Vitest:       Tests  1 failed | 11 passed | 2 skipped (14)
/^ *Tests  +[0-9]/ { add($0) }

# node --test: "# pass 12" or "i pass 12", then fail and skipped on their own lines
/^(#|ℹ) (pass|fail|cancelled|skipped|todo) [0-9]+$/ {
  if ($2 == "pass") passed += $3
  else if ($2 == "fail" || $2 == "cancelled") failed += $3
  else skipped += $3
}

# A runner of our own.
/^([A-Za-z0-9-]+: )?[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$/ { add($0) }

function add(line,   words, n, i) {
  n = split(line, words, /[ ;,|]+/)
  for (i = 1; i < n; i++) {
    if (words[i + 1] == "passed") passed += words[i]
    else if (words[i + 1] == "failed") failed += words[i]
    else if (words[i + 1] ~ /^(ignored|skipped|todo)$/) skipped += words[i]
  }
}

END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped }
