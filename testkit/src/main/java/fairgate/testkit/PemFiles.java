package fairgate.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/// PEM files of a certificate authority, a server at 127.0.0.1 and a client, made by `openssl`.
/// Each user of this machine can read the server's, because engines run as another one.
public final class PemFiles {
  private final Path folder;

  private PemFiles(Path folder) {
    this.folder = folder;
  }

  /// Makes the files. The server's certificate is valid for 90 days.
  public static PemFiles in(Path folder) {
    PemFiles files = new PemFiles(folder);
    try {
      Files.createDirectories(folder);
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
      files.openssl(
          "req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 90 -subj /CN=authority");
      files.signed("server", "subjectAltName=IP:127.0.0.1");
      files.signed("client", "extendedKeyUsage=clientAuth");
      Files.setPosixFilePermissions(
          folder.resolve("server.key"), PosixFilePermissions.fromString("rw-r--r--"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return files;
  }

  /// The path of `ca.pem`, `server.pem`, `server.key`, `client.pem` or `client.key`.
  public String path(String name) {
    return folder.resolve(name).toString();
  }

  private void signed(String name, String extension) throws IOException {
    Files.writeString(folder.resolve(name + ".ext"), extension + "\n");
    openssl(
        "req -newkey rsa:2048 -nodes -keyout %s.key -out %s.csr -subj /CN=fairgate"
            .formatted(name, name));
    openssl(
        "x509 -req -in %s.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out %s.pem -days 90 -extfile %s.ext"
            .formatted(name, name, name));
  }

  private void openssl(String words) throws IOException {
    ProcessBuilder builder = new ProcessBuilder("openssl");
    builder.command().addAll(List.of(words.split(" ", -1)));
    Process process = builder.directory(folder.toFile()).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (process.waitFor() != 0) {
        throw new IOException("openssl " + words + ": " + output);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    }
  }
}
