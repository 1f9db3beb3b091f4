package fairgate.gate.ban;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.ClientAddress;
import fairgate.testkit.Eventually;
import fairgate.testkit.MmdbFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AsnDatabaseTest {
  @TempDir private Path folder;

  private static ClientAddress address(String text) {
    return Objects.requireNonNull(ClientAddress.parse(text));
  }

  private static void awaits(AsnDatabase database, String address, long number) {
    Eventually.await(
        address + " is of " + number, () -> database.number(address(address)) == number);
  }

  @Test
  void theAsnOfAnAddressIsFound() {
    Path file = folder.resolve("asn.mmdb");
    new MmdbFile()
        .asn("203.0.113.0/24", 64_500)
        .asn("198.51.100.128/25", 4_200_000_001L)
        .asn("2001:db8::/32", 64_501)
        .add("192.0.2.0/24", Map.of("asn", "AS64502", "name", "as others write it"))
        .add("192.0.3.0/24", Map.of("country", "TW"))
        .write(file);
    try (AsnDatabase database = new AsnDatabase(file)) {
      database.start();
      assertThat(database.number(address("203.0.113.9"))).isEqualTo(64_500);
      assertThat(database.number(address("::ffff:203.0.113.9"))).isEqualTo(64_500);
      assertThat(database.number(address("198.51.100.200"))).isEqualTo(4_200_000_001L);
      assertThat(database.number(address("198.51.100.1"))).isZero();
      assertThat(database.number(address("2001:db8:ffff::1"))).isEqualTo(64_501);
      assertThat(database.number(address("2001:db9::1"))).isZero();
      assertThat(database.number(address("192.0.2.1"))).isEqualTo(64_502);
      assertThat(database.number(address("192.0.3.1"))).isZero();
    }
  }

  @Test
  void aNewFileIsLoadedAndABrokenOneIsIgnored() throws IOException {
    Path file = folder.resolve("asn.mmdb");
    try (AsnDatabase database = new AsnDatabase(file)) {
      database.start();
      assertThat(database.number(address("203.0.113.9"))).isZero();
      new MmdbFile().asn("203.0.113.0/24", 64_500).write(file);
      awaits(database, "203.0.113.9", 64_500);
      Files.writeString(file, "half a file");
      database.reload(file);
      assertThat(database.number(address("203.0.113.9"))).isEqualTo(64_500);
      new MmdbFile().asn("203.0.113.0/24", 64_511).asn("198.51.100.0/24", 64_512).write(file);
      database.reload(file);
      assertThat(database.number(address("203.0.113.9"))).isEqualTo(64_511);
      assertThat(database.number(address("198.51.100.1"))).isEqualTo(64_512);
    }
  }

  @Test
  void withoutAFileAllNumbersAreUnknown() {
    try (AsnDatabase database = new AsnDatabase(null)) {
      database.start();
      assertThat(database.number(address("203.0.113.9"))).isZero();
    }
  }
}
