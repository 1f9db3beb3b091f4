package fairgate.platform.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import org.junit.jupiter.api.Test;

final class MarkdownTest {
  private static String html(String text) {
    return Markdown.render(text).orElseThrow().html();
  }

  @Test
  void paragraphsHeadingsListsAndLinksAreRendered() {
    assertThat(
            html(
                """
                # Program

                Doors **18:30**

                - one
                - two

                [map](https://maps.example/a?b=1&c=2)"""))
        .isEqualTo(
            """
            <h2>Program</h2>
            <p>Doors <strong>18:30</strong></p>
            <ul>
            <li>one</li>
            <li>two</li>
            </ul>
            <p><a rel="nofollow noopener noreferrer" href="https://maps.example/a?b=1&amp;c=2">map</a></p>
            """);
  }

  @Test
  void headingsBeginBelowTheTitleOfThePage() {
    assertThat(html("### A\n\n#### B\n\n###### C"))
        .isEqualTo("<h2>A</h2>\n<h3>B</h3>\n<h5>C</h5>\n");
  }

  @Test
  void htmlOfTheTextIsShownAsText() {
    String all =
        html(
            "<script>alert(1)</script>\n\n<img src=x onerror=alert(1)> <b onclick='x'>b</b>\n\n"
                + "<a href=\"javascript:alert(1)\">x</a>\n\n<iframe src=//evil.example></iframe>");
    assertThat(all)
        .doesNotContain("<script", "<img", "<b ", "<a ", "<iframe")
        .contains("&lt;script&gt;");
  }

  @Test
  void linksLeadNowhereElse() {
    for (String target :
        new String[] {
          "javascript:alert(1)",
          "JaVaScRiPt:alert(1)",
          "&#106;avascript:alert(1)",
          "data:text/html,x",
          "vbscript:x",
          "file:///etc/passwd"
        }) {
      assertThat(html("[x](<" + target + ">)").toLowerCase(Locale.ROOT))
          .as(target)
          .doesNotContain("script:", "data:", "file:");
    }
    for (String target :
        new String[] {"//evil.example", "/\\\\evil.example", "&Tab;//evil.example"}) {
      assertThat(html("[x](<" + target + ">)")).as(target).doesNotContain("evil");
    }
    assertThat(html("[rules](/p/7#rules)")).contains("href=\"/p/7#rules\"");
    assertThat(html("[mail](mailto:help@shop.example)")).contains("mailto:help@shop.example");
    assertThat(html("[x](https://a.example \"onmouseover=alert(1)\")")).doesNotContain("title");
  }

  @Test
  void picturesBecomeTheirDescription() {
    assertThat(html("![the stage](https://tracker.example/1.png)")).isEqualTo("<p>the stage</p>\n");
  }

  @Test
  void deepTextsAreRefusedAndWideOnesAreNot() {
    assertThat(Markdown.render("- ".repeat(2_000) + "x")).isEmpty();
    assertThat(Markdown.render("*a ".repeat(50) + "b" + " c*".repeat(50))).isEmpty();
    assertThat(Markdown.render("[".repeat(4_900))).isPresent();
    assertThat(Markdown.render("a **b** c\n\n".repeat(400))).isPresent();
    assertThat(Markdown.render("")).isPresent();
  }

  @Test
  void plainTextHasNoMarks() {
    assertThat(Markdown.render("# A\n\n**b** [c](https://d.example)").orElseThrow().plain())
        .doesNotContain("#", "*")
        .contains("A", "b", "c");
  }
}
