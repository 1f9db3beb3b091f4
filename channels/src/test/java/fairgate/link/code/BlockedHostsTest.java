package fairgate.link.code;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BlockedHostsTest {
  @Test
  void aHostIsBlockedWithItsSubdomainsAndNothingElse() {
    BlockedHosts hosts = new BlockedHosts(null);
    hosts.set("evil.example", true);
    assertThat(hosts.contains("evil.example")).isTrue();
    assertThat(hosts.contains("a.b.evil.example")).isTrue();
    assertThat(hosts.contains("notevil.example")).isFalse();
    assertThat(hosts.contains("example")).isFalse();
    hosts.set("evil.example", false);
    assertThat(hosts.contains("evil.example")).isFalse();
  }

  @Test
  void theDenyListIsReadAgainWhenItChanges(@TempDir Path folder) throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("deny"), "# phishing\nBad.Example # since May\n\n*.wild.example\n");
    BlockedHosts hosts = new BlockedHosts(file);
    assertThat(hosts.contains("www.bad.example")).isTrue();
    Files.writeString(file, "worse.example\n");
    Files.setLastModifiedTime(file, FileTime.fromMillis(1_000));
    hosts.refresh();
    assertThat(hosts.contains("bad.example")).isFalse();
    assertThat(hosts.contains("worse.example")).isTrue();
    Files.delete(file);
    hosts.refresh();
    assertThat(hosts.contains("worse.example")).as("an unreadable list stays").isTrue();
  }
}
