package fairgate.redeem.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UploadFolderTest {
  @TempDir Path folder;

  @Test
  void aStartDeletesLeftoversOfACrashAndNoFileThatAnotherProcessImports() throws IOException {
    UploadFolder uploads = new UploadFolder(folder);
    Path left = upload(uploads);
    Path used = upload(uploads);
    Instant old = Instant.now().minus(Duration.ofHours(25));
    Files.setLastModifiedTime(left, FileTime.from(old));
    new UploadFolder(folder).deleteLeftovers(Clock.systemUTC());
    assertThat(left).doesNotExist();
    assertThat(used).exists();
  }

  @Test
  void aFolderThatDoesNotExistYetHasNoLeftovers() {
    Path none = folder.resolve("none");
    new UploadFolder(none).deleteLeftovers(Clock.systemUTC());
    assertThat(none).doesNotExist();
  }

  private static Path upload(UploadFolder uploads) throws IOException {
    return uploads.take(new ByteArrayInputStream(new byte[] {1})).file();
  }
}
