package fairgate.draw.verify;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.draw.tlog.StrictText;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Bundles as files, as verifiers in other languages read them. `-Dfairgate.bundles=DIR` keeps
/// them, `-Dfairgate.bundles.count=N` sets the number of honest draws, of which the first one is
/// large then: `-Dfairgate.bundles.size=N` entries.
class DrawBundlesTest {
  @TempDir private Path temporary;

  @Test
  void everyBundleHasTheExpectedCode() throws IOException {
    Path folder = Path.of(System.getProperty("fairgate.bundles", temporary.toString()));
    int count = Integer.getInteger("fairgate.bundles.count", 20);
    DrawBundles.main(
        new String[] {
          folder.toString(),
          Integer.toString(count),
          System.getProperty("fairgate.bundles") == null ? "0" : "1"
        });
    List<String> expected =
        StrictText.utf8(Files.readAllBytes(folder.resolve("expected.jsonl")))
            .orElseThrow()
            .lines()
            .toList();
    assertThat(expected).hasSize(count + Cheat.values().length);
    for (String line : expected) {
      JsonObject draw = Json.parseObject(line);
      Path receipt = folder.resolve(text(draw, "receipt"));
      try (TarFiles files = TarFiles.open(folder.resolve(text(draw, "file"))).orElseThrow()) {
        Verdict verdict =
            DrawVerifier.verify(
                VerifyRequest.everything(
                        files,
                        Set.of(text(draw, "chain"), text(draw, "second_chain")),
                        Clock.systemUTC())
                    .withReceipts(List.of(Files.readAllBytes(receipt))));
        assertThat(verdict.code().word()).as(line).isEqualTo(text(draw, "code"));
      }
    }
  }

  private static String text(JsonObject draw, String name) {
    return String.valueOf(draw.get(name));
  }
}
