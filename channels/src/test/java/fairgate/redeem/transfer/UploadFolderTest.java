package fairgate.redeem.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UploadFolderTest {
  @TempDir Path folder;

  @Test
  void aFileHasNoNameAndIsReadFromItsStartAgainAndAgain() throws IOException {
    byte[] bytes = "a,b\n1,2\n".getBytes(StandardCharsets.UTF_8);
    try (UploadFolder.Upload upload =
        new UploadFolder(folder).take(new ByteArrayInputStream(bytes))) {
      assertThat(folder).isEmptyDirectory();
      for (int i = 0; i < 2; i++) {
        try (InputStream in = upload.open()) {
          assertThat(in.readAllBytes()).isEqualTo(bytes);
        }
      }
    }
  }

  @Test
  void aBodyThatBreaksOffLeavesNothing() throws IOException {
    InputStream broken = InputStream.nullInputStream();
    broken.close();
    assertThatThrownBy(() -> new UploadFolder(folder).take(broken)).isInstanceOf(IOException.class);
    assertThat(folder).isEmptyDirectory();
  }
}
