package fairgate.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Locale;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;

/// Encrypts a plain SMTP server on loopback, from the first byte or after STARTTLS, with a fresh
/// certificate of its own.
public final class TlsFront implements AutoCloseable {
  private static final char[] PASSWORD = "changeit".toCharArray();

  private final ServerSocket server;
  private final SSLContext own;
  private final KeyStore keys;
  private final int behind;
  private final boolean startTls;

  private TlsFront(ServerSocket server, SSLContext own, KeyStore keys, int behind, boolean start) {
    this.server = server;
    this.own = own;
    this.keys = keys;
    this.behind = behind;
    this.startTls = start;
  }

  /// Starts on a free port.
  ///
  /// @param behind the port of the plain server
  /// @param name the certificate's name, as in `ip:127.0.0.1`
  /// @param startTls whether encryption begins with STARTTLS
  public static TlsFront start(int behind, String name, boolean startTls) {
    try {
      KeyStore keys = keys(name);
      KeyManagerFactory managers =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      managers.init(keys, PASSWORD);
      SSLContext own = SSLContext.getInstance("TLS");
      own.init(managers.getKeyManagers(), null, null);
      ServerSocket server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
      TlsFront front = new TlsFront(server, own, keys, behind, startTls);
      Thread.ofVirtual().start(front::accept);
      return front;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static KeyStore keys(String name) throws IOException, GeneralSecurityException {
    Path folder = Files.createTempDirectory("tls-front");
    Path file = folder.resolve("keys.p12");
    try {
      Process keytool =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                  "-genkeypair",
                  "-alias",
                  "front",
                  "-keyalg",
                  "EC",
                  "-dname",
                  "CN=front",
                  "-ext",
                  "san=" + name,
                  "-storetype",
                  "PKCS12",
                  "-storepass",
                  new String(PASSWORD),
                  "-keystore",
                  file.toString())
              .redirectErrorStream(true)
              .start();
      String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (keytool.waitFor() != 0) {
        throw new IllegalStateException(said);
      }
      return KeyStore.getInstance(file.toFile(), PASSWORD);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } finally {
      Files.deleteIfExists(file);
      Files.deleteIfExists(folder);
    }
  }

  public int port() {
    return server.getLocalPort();
  }

  /// Trusts the certificate of this server only.
  public SSLSocketFactory trust() {
    try {
      KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
      trusted.load(null, null);
      trusted.setCertificateEntry("front", keys.getCertificate("front"));
      TrustManagerFactory managers =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      managers.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, managers.getTrustManagers(), null);
      return context.getSocketFactory();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket client = server.accept();
        Thread.ofVirtual().start(() -> serve(client));
      } catch (IOException _) {
        // Closed.
      }
    }
  }

  private void serve(Socket client) {
    try (client) {
      if (startTls && !promised(client)) {
        return;
      }
      try (SSLSocket secure =
              (SSLSocket)
                  own.getSocketFactory().createSocket(client, null, client.getPort(), false);
          Socket plain = new Socket(InetAddress.getLoopbackAddress(), behind)) {
        secure.setUseClientMode(false);
        secure.startHandshake();
        if (startTls) {
          // The client has had a greeting.
          var _ = line(plain.getInputStream());
        }
        Thread answers = Thread.ofVirtual().start(() -> pass(plain, secure));
        pass(secure, plain);
        plain.shutdownOutput();
        answers.join();
      }
    } catch (IOException _) {
      // The client refused the certificate, or went away.
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /// The conversation before encryption; false when the client leaves.
  private static boolean promised(Socket client) throws IOException {
    InputStream in = client.getInputStream();
    OutputStream out = client.getOutputStream();
    say(out, "220 front");
    for (String line = line(in); !line.isEmpty(); line = line(in)) {
      String word = line.split(" ", -1)[0].toUpperCase(Locale.ROOT);
      switch (word) {
        case "EHLO" -> say(out, "250-front\r\n250 STARTTLS");
        case "STARTTLS" -> {
          say(out, "220 begin");
          return true;
        }
        default -> say(out, "530 STARTTLS first");
      }
    }
    return false;
  }

  private static void say(OutputStream out, String line) throws IOException {
    out.write((line + "\r\n").getBytes(StandardCharsets.US_ASCII));
    out.flush();
  }

  /// A line without buffering, because encrypted bytes may follow; empty at the end.
  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
      if (next != '\r') {
        line.append((char) next);
      }
    }
    return line.toString();
  }

  private static void pass(Socket from, Socket to) {
    try {
      long _ = from.getInputStream().transferTo(to.getOutputStream());
    } catch (IOException _) {
      // One side went away.
    }
  }

  @Override
  public void close() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
