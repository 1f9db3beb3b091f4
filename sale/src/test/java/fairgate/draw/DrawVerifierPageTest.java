package fairgate.draw;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

/// The page that checks draws is one small file.
class DrawVerifierPageTest {
  private static final int MAX_GZIPPED = 60_000;

  private final String html = DrawVerifierPage.html();

  @Test
  void thePageIsSmall() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
      gzip.write(html.getBytes(StandardCharsets.UTF_8));
    }
    System.out.printf("verify.html: %d bytes, %d gzipped%n", html.length(), out.size());
    assertThat(out.size()).isLessThan(MAX_GZIPPED);
  }

  @Test
  void thePageLoadsNothing() {
    assertThat(html).doesNotContainPattern("(src|href)=\"|@import|url\\(|(?m)^(import|export) ");
    assertThat(html).doesNotContain("/* words */", "{policy}", "{style}", "{script}");
    assertThat(html.split("</script", -1)).hasSize(2);
  }

  @Test
  void everyModuleIsInThePage() throws IOException {
    try (Stream<Path> files =
        Files.list(
            Path.of("..", "sale", "src", "main", "resources", "fairgate", "draw", "verifier"))) {
      List<String> modules =
          files
              .map(file -> file.getFileName().toString())
              .filter(name -> name.endsWith(".js"))
              .map(name -> "const of_" + name.replace(".js", "") + " = ")
              .toList();
      assertThat(modules).isNotEmpty();
      assertThat(html).contains(modules);
    }
  }
}
