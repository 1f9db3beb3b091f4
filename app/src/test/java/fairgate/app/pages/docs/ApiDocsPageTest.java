package fairgate.app.pages.docs;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.ErrorCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// `/docs` shows the whole description and complies with the strict content security policy.
class ApiDocsPageTest {
  private static final ApiDescription DESCRIPTION = ApiDescription.load();
  private static final String PAGE = ApiDocsPage.html(DESCRIPTION);

  @Test
  void everyOperationCodeAndTypeHasASection() {
    for (ApiDescription.Operation operation : DESCRIPTION.operations()) {
      assertThat(PAGE).contains("id=\"" + operation.text("operationId") + "\"");
      assertThat(PAGE).contains(">" + operation.method() + "</b> <code>" + operation.path());
    }
    for (ErrorCode code : ErrorCode.values()) {
      assertThat(PAGE).contains("id=\"error-" + code.name() + "\"");
    }
    for (ApiDescription.Named schema : DESCRIPTION.components("schemas")) {
      assertThat(PAGE).contains("id=\"schema-" + schema.name() + "\"");
    }
  }

  @Test
  void everyLinkOnThePageHasATarget() {
    Set<String> places = new HashSet<>(all("id=\"([^\"]+)\""));
    Set<String> lost = new TreeSet<>(all("href=\"#([^\"]+)\""));
    lost.removeAll(places);
    assertThat(lost).isEmpty();
  }

  @Test
  void nothingIsInlineOrFromAnotherOrigin() {
    assertThat(PAGE).doesNotContain("<script").doesNotContain("style=").doesNotContain("<style");
    assertThat(all("(?:src|href)=\"(https?:[^\"]+)\"")).isEmpty();
    assertThat(all(" (on[a-z]+)=")).isEmpty();
  }

  @Test
  void textsOfTheDescriptionAreEscaped() {
    assertThat(ApiSchemaHtml.prose("a <b> & `c<d>`\n\nnext"))
        .isEqualTo("<p>a &lt;b&gt; &amp; <code>c&lt;d&gt;</code></p>\n<p>next</p>\n");
  }

  @Test
  void everyElementIsClosedInOrder() {
    // Rows and cells need no end tag in HTML; all other elements have one.
    Set<String> open = Set.of("meta", "link", "tr", "td", "th");
    java.util.ArrayDeque<String> stack = new java.util.ArrayDeque<>();
    Pattern.compile("<(/?)([a-z0-9]+)")
        .matcher(PAGE.substring("<!doctype html>".length()))
        .results()
        .filter(tag -> !open.contains(tag.group(2)))
        .forEach(
            tag -> {
              if (tag.group(1).isEmpty()) {
                stack.push(tag.group(2));
              } else {
                assertThat(stack.pop()).isEqualTo(tag.group(2));
              }
            });
    assertThat(stack).isEmpty();
  }

  @Test
  void bothRoutesAndTheStyleSheetExist() throws IOException {
    assertThat(new ApiDocsPage().routes())
        .extracting(route -> route.method() + " " + route.path())
        .containsExactly("GET /openapi.yaml", "GET /docs");
    assertThat(PAGE).contains("href=\"/assets/docs.css\"");
    assertThat(Files.readString(Path.of("..", "web", "assets", "docs.css")))
        .doesNotContain("url(")
        .doesNotContain("@import");
  }

  private static List<String> all(String pattern) {
    return Pattern.compile(pattern).matcher(PAGE).results().map(m -> m.group(1)).toList();
  }
}
