# What `nddb query --why` says of one pair, in a line: the probability, and the sentence that explains it, or else the
# evidence that weighed most.
#
# awk -v kind=KIND -v other=ID -v expected=near|apart -f tools/demo_reason.awk

{
    at = index($0, "{\"id\":\"" other "\"")
    if (at == 0) { tell(0, "they share no key: too few of their short passages are equal"); next }
    match_of = substr($0, at + 1)
    end = index(match_of, "},{\"id\":\"")
    if (end > 0 && index(match_of, "\"evidence\"") < end) match_of = substr(match_of, 1, end)
    if (index(match_of, "\"rule\":\"identical\"")) { tell(1, "the texts are equal"); next }
    match(match_of, /"probability":[0-9.e-]+/)
    probability = substr(match_of, RSTART + 14, RLENGTH - 14)
    if (match(match_of, /"sentence":"[^"]*"/)) { tell(probability, substr(match_of, RSTART + 12, RLENGTH - 13)); next }
    # The evidence that decided: for the verdict the most.
    most = -1
    while (match(match_of, /"says":"[^"]*","adds":[0-9.e-]+/)) {
        evidence = substr(match_of, RSTART + 8, RLENGTH - 8)
        match_of = substr(match_of, RSTART + RLENGTH)
        split(evidence, parts, "\",\"adds\":")
        weight = probability >= 0.5 ? parts[2] : -parts[2]
        if (parts[1] != "before any evidence" && weight > most) { most = weight; reason = parts[1] }
    }
    tell(probability, reason)
}

function tell(probability, reason,   verdict) {
    verdict = probability >= 0.5 ? "near" : "apart"
    unexpected = verdict == expected ? "" : "  (expected: " expected ")"
    printf "  %-5s %.2f  %s: %s%s\n", verdict, probability, kind, reason, unexpected
}
