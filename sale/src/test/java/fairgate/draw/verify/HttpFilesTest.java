package fairgate.draw.verify;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.testkit.DrippingServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class HttpFilesTest {
  @Test
  void aFileHasATimeLimitForTheWholeOfIt() throws IOException {
    try (DrippingServer server = new DrippingServer()) {
      HttpFiles files =
          new HttpFiles(URI.create(server.url() + "/draws/tour"), Duration.ofSeconds(1));
      assertThatThrownBy(() -> files.read("bundle"))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("is not complete after 1 s");
    }
  }
}
