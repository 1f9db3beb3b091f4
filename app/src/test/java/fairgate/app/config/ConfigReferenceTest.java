package fairgate.app.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class ConfigReferenceTest {
  @Test
  void theCommittedPageIsTheGeneratedOne() {
    assertThat(Path.of("../docs/operate/config.md"))
        .as("./fairgate config reference > docs/operate/config.md")
        .hasContent(ConfigReference.markdown());
  }

  @Test
  void everySettingHasOneSentence() {
    assertThat(ConfigRecords.KEYS)
        .allSatisfy(key -> assertThat(key.doc()).matches("[A-Z][^|]*\\.").doesNotContain("\n"));
  }
}
