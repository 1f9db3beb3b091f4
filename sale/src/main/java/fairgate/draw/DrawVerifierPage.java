package fairgate.draw;

import static fairgate.platform.http.RouteLimits.PAGE;

import fairgate.platform.http.Reply;
import fairgate.platform.http.Request;
import fairgate.platform.http.Route;
import fairgate.platform.json.JsonText;
import fairgate.platform.page.Dictionary;
import fairgate.platform.text.Language;
import io.vertx.core.Future;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// `/verify`: the page that checks a draw in the visitor's browser.
///
/// It is one file without links, made of the modules in the folder `verifier`, so that it also
/// works from disk and from hosts other than the operator's.
public final class DrawVerifierPage {
  private static final String FOLDER = "verifier/";
  private static final String TEXTS = "verify.";
  private static final String CACHE = "public, max-age=300";

  /// In the order of their imports.
  private static final List<String> MODULES =
      List.of(
          "bytes", "hash", "tree", "ed25519", "bls", "note", "leaf", "lot", "bulk", "tiles",
          "files", "check", "room", "worker", "page");

  private static final Pattern IMPORT =
      Pattern.compile("(?m)^import (\\{[^}]+}) from '\\./(\\w+)\\.js';$");
  private static final Pattern EXPORT =
      Pattern.compile("(?m)^export (?=(?:async )?(?:function|const|class) (\\w+))");

  private final Reply page;

  DrawVerifierPage() {
    String html = html();
    this.page =
        Reply.html(200, html)
            .compressible()
            .header("content-security-policy", policy(html) + "; frame-ancestors 'none'")
            .header("cache-control", CACHE);
  }

  List<Route> routes() {
    return List.of(Route.get("/verify", this::show).limits(PAGE));
  }

  private Future<Reply> show(Request request) {
    return Future.succeededFuture(page);
  }

  /// The whole page. Equal sources give equal bytes, so its hash can be published.
  public static String html() {
    String script = script();
    String style = read("verify.css");
    String html = read("verify.html").replace("{style}", style).replace("{script}", script);
    return html.replace("{policy}", policy(html));
  }

  /// Allows the page's own script and style sheet, and requests to the logs of other hosts.
  private static String policy(String html) {
    return "default-src 'none'; script-src '"
        + hash(between(html, "<script>", "</script>"))
        + "'; style-src '"
        + hash(between(html, "<style>", "</style>"))
        + "'; worker-src blob:; connect-src 'self' https: http://127.0.0.1:* http://localhost:*"
        + "; base-uri 'none'; form-action 'none'";
  }

  private static String between(String html, String start, String end) {
    int from = html.indexOf(start) + start.length();
    return html.substring(from, html.indexOf(end, from));
  }

  private static String hash(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return "sha256-" + Base64.getEncoder().encodeToString(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /// The modules as one script, because browsers load no modules from disk. Each keeps a scope of
  /// its own.
  private static String script() {
    StringBuilder script = new StringBuilder("'use strict';\n");
    for (String module : MODULES) {
      String source = read(module + ".js");
      String exported =
          EXPORT
              .matcher(source)
              .results()
              .map(found -> found.group(1))
              .collect(Collectors.joining(", "));
      String body = IMPORT.matcher(source).replaceAll("const $1 = of_$2;");
      script
          .append("const of_%s = (() => {\n".formatted(module))
          .append(EXPORT.matcher(body).replaceAll(""))
          .append("return { %s };\n})();\n".formatted(exported));
    }
    return script.toString().replace("/* words */ {}", words());
  }

  /// The texts in all languages; "<" is escaped because they are in a script element.
  private static String words() {
    JsonText all = JsonText.object();
    for (Language language : Language.values()) {
      Dictionary dictionary = Dictionary.of(language);
      JsonText texts = JsonText.object();
      dictionary.keys().stream()
          .filter(key -> key.startsWith(TEXTS))
          .forEach(key -> texts.put(key, dictionary.text(key)));
      all.putRaw(language.tag(), texts.toString());
    }
    return all.toString().replace("<", "\\u003c");
  }

  private static String read(String name) {
    try (InputStream in = DrawVerifierPage.class.getResourceAsStream(FOLDER + name)) {
      if (in == null) {
        throw new IllegalStateException("missing from the jar: " + FOLDER + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
