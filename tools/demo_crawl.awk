# A small synthetic crawl: near-duplicates as the web has them, and pages that only look like some.
#
# awk -v pairs=PAIRS.tsv -f tools/demo_crawl.awk > pages.jsonl
#
# Writes a page a line, and to PAIRS.tsv pairs of them: kind, two ids, and whether they are near-duplicates. The same
# pages every time: the random numbers are those of Park and Miller (1988).

function random(below) { state = (state * 16807) % 2147483647; return int(state / 2147483647 * below) }
function letter(of) { return substr(of, 1 + random(length(of)), 1) }
function word() { return letter("bdfghklmnprst") letter("aeiou") letter("lmnrst") letter("aeiou") letter("bdklmnrst") }

# Sentences of so many words in all.
function prose(words,   text, sentence, n) {
    while (words > 0) {
        n = 7 + random(8); if (n > words) n = words
        words -= n
        sentence = word()
        sentence = toupper(substr(sentence, 1, 1)) substr(sentence, 2)
        while (--n > 0) sentence = sentence " " word()
        text = text sentence ". "
    }
    return substr(text, 1, length(text) - 1)
}
function paragraphs(n,   html) { while (n-- > 0) html = html "<p>" prose(45 + random(20)) "</p>"; return html }
function title(   text) { text = word() " " word() " " word(); return toupper(substr(text, 1, 1)) substr(text, 2) }

# A page in the frame of its site.
function framed(site, headline, body) {
    return "<html><head><title>" headline " | " site "</title></head><body><nav>" menu[site] "</nav><main><h1>" \
        headline "</h1>" body "</main><aside>" teaser[site] "</aside><footer>" site " - all rights reserved</footer>"
}
function bare(headline, body) {
    return "<html><head><title>" headline "</title></head><body><h1>" headline "</h1>" body
}
function text_of(html) { gsub(/<\/p>/, "\\n\\n", html); gsub(/<[^>]*>/, "", html); return html }

function put(id, site, path, field, body) {
    gsub(/"/, "\\\"", body)
    printf "{\"id\": \"%s\", \"url\": \"http://%s/%s\", \"%s\": \"%s\"}\n", id, site, path, field, body
}
function pair(kind, a, b, near) { print kind "\t" a "\t" b "\t" near > pairs }

BEGIN {
    state = 1987
    split("news.example daily.example shop.example docs.example", sites, " ")
    for (i in sites) {
        for (link = 0; link < 8; link++) menu[sites[i]] = menu[sites[i]] "<a href=/" link ">" word() "</a> "
        teaser[sites[i]] = "<p>" prose(15) " <a href=/more>more</a></p>"
    }
    for (i = 1; i <= 40; i++)
        put("article-" i, "news.example", "article/" i, "html", framed("news.example", title(), paragraphs(5)))

    headline = title(); body = paragraphs(5)
    put("mirror-1", "news.example", "a/mirror", "html", framed("news.example", headline, body))
    put("mirror-2", "www2.news.example", "a/mirror", "html", framed("news.example", headline, body))
    pair("a mirror", "mirror-1", "mirror-2", "near")

    headline = title(); body = paragraphs(5)
    put("print-1", "news.example", "a/print", "html", framed("news.example", headline, body))
    put("print-2", "news.example", "a/print?print=1", "html", bare(headline, body))
    pair("a print version", "print-1", "print-2", "near")

    headline = title(); body = paragraphs(4)
    put("session-1", "shop.example", "a/about?sid=8f31c2", "html",
        framed("shop.example", headline, body "<p>Visitor number 10482</p>"))
    put("session-2", "shop.example", "a/about?sid=77b0a9", "html",
        framed("shop.example", headline, body "<p>Visitor number 10977</p>"))
    pair("two session ids", "session-1", "session-2", "near")

    body = paragraphs(6)
    put("agency-1", "news.example", "a/agency", "html", framed("news.example", title(), body))
    put("agency-2", "daily.example", "today/4711", "html", framed("daily.example", title(), body))
    pair("one report in two papers, other headlines", "agency-1", "agency-2", "near")

    headline = title(); body = paragraphs(5)
    put("correction-1", "news.example", "a/correction", "html", framed("news.example", headline, body))
    put("correction-2", "news.example", "a/correction?v=2", "html",
        framed("news.example", headline, body "<p>" prose(14) "</p>"))
    pair("a correction of one sentence", "correction-1", "correction-2", "near")

    headline = title(); body = paragraphs(5)
    put("text-1", "docs.example", "a/text.html", "html", framed("docs.example", headline, body))
    put("text-2", "docs.example", "a/text.txt", "text", headline "\\n\\n" text_of(body))
    pair("a page and its plain text", "text-1", "text-2", "near")

    body = paragraphs(2)
    for (i = 1; i <= 2; i++) {
        headline = title()
        list = ""
        for (line = 0; line < 8; line++) list = list "<li>" word() ": " random(900) " " word() "</li>"
        put("product-" i, "shop.example", "product/" headline, "html",
            framed("shop.example", headline, "<p>The " headline " is for sale.</p><ul>" list "</ul>" body))
    }
    pair("two products in one template", "product-1", "product-2", "apart")

    body = paragraphs(1)
    for (i = 1; i <= 2; i++)
        put("chapter-" i, "docs.example", "book/chapter-" i, "html",
            framed("docs.example", "Chapter " i, body "<p>" prose(25) "</p>"))
    pair("two chapters with one introduction", "chapter-1", "chapter-2", "apart")

    licence = prose(60)
    for (i = 1; i <= 2; i++) {
        body = "# " licence "\\n\\n"
        for (line = 0; line < 40; line++) body = body word() " = " word() "(" word() ", " random(99) ")\\n"
        put("program-" i, "docs.example", "src/" i ".py", "text", body)
    }
    pair("two programs under one licence", "program-1", "program-2", "apart")

    for (i = 1; i <= 2; i++) {
        body = "Answer sheet\\n"
        for (line = 1; line <= 60; line++) body = body line ". " letter("ABCD") "\\n"
        put("answers-" i, "docs.example", "answers/" i, "text", body)
    }
    pair("two answer sheets", "answers-1", "answers-2", "apart")

    body = paragraphs(3)
    put("quote-1", "news.example", "a/quoted", "html", framed("news.example", title(), body))
    put("quote-2", "daily.example", "today/4712", "html",
        framed("daily.example", title(), paragraphs(2) body paragraphs(3)))
    pair("an article that quotes all of another", "quote-1", "quote-2", "apart")

    for (i = 1; i <= 2; i++) {
        body = "Day Low High\\n"
        for (line = 1; line <= 30; line++) body = body line " " random(20) " " (20 + random(20)) "\\n"
        put("table-" i, "docs.example", "weather/" i, "text", body)
    }
    pair("two tables of numbers", "table-1", "table-2", "apart")
}
