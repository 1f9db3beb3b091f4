package fairgate.testkit;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/// A small shop of somebody else behind a proxy, on loopback: it answers every request with 200 and
/// records it, and accepts WebSocket connections, whose first message it repeats.
public final class ForeignShop implements AutoCloseable {
  /// The name under which its customers know it.
  public static final String HOST = "shop.example.com";

  private static final int READ_TIMEOUT_MILLIS = 60_000;
  private static final String WEBSOCKET_GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

  private final ServerSocket server;
  private final List<Visit> visits = new CopyOnWriteArrayList<>();

  private ForeignShop(ServerSocket server) {
    this.server = server;
  }

  /// A request as it arrived.
  ///
  /// @param target as sent, with the query
  /// @param headers by name in lower case; repeated ones joined by a comma
  public record Visit(String method, String target, Map<String, String> headers, int bodyBytes) {
    public Visit {
      headers = Map.copyOf(headers);
    }
  }

  /// Starts on a free port.
  public static ForeignShop start() {
    try {
      ServerSocket server = new ServerSocket();
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 512);
      ForeignShop shop = new ForeignShop(server);
      Thread.ofVirtual().start(shop::accept);
      return shop;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return server.getLocalPort();
  }

  /// The requests so far, in order of arrival.
  public List<Visit> visits() {
    return List.copyOf(visits);
  }

  /// Forgets the requests so far.
  public void forget() {
    visits.clear();
  }

  @Override
  public void close() {
    try {
      server.close();
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
      client.setSoTimeout(READ_TIMEOUT_MILLIS);
      InputStream in = new BufferedInputStream(client.getInputStream());
      String[] first = line(in).split(" ", 3);
      if (first.length != 3) {
        return;
      }
      Map<String, String> headers = new TreeMap<>();
      for (String line = line(in); !line.isEmpty(); line = line(in)) {
        int colon = line.indexOf(':');
        headers.merge(
            line.substring(0, colon).toLowerCase(Locale.ROOT),
            line.substring(colon + 1).strip(),
            (one, other) -> one + ", " + other);
      }
      byte[] body = body(in, headers);
      visits.add(new Visit(first[0], first[1], headers, body.length));
      if ("websocket".equalsIgnoreCase(headers.get("upgrade"))) {
        webSocket(client, in, headers.getOrDefault("sec-websocket-key", ""));
      } else {
        String reply = "shop: " + first[0] + " " + first[1] + "\n";
        write(
            client,
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nConnection: close\r\n"
                + (first[1].startsWith("/shop/thanks") ? "X-Fairgate-Release: 1\r\n" : "")
                + "Content-Length: "
                + reply.length()
                + "\r\n\r\n"
                + (first[0].equals("HEAD") ? "" : reply));
      }
    } catch (IOException _) {
      // The proxy went away.
    }
  }

  private static byte[] body(InputStream in, Map<String, String> headers) throws IOException {
    if (headers.containsKey("content-length")) {
      return in.readNBytes(Integer.parseInt(headers.get("content-length")));
    }
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    if ("chunked".equalsIgnoreCase(headers.get("transfer-encoding"))) {
      int length;
      do {
        length = Integer.parseInt(line(in).split(";", 2)[0].strip(), 16);
        all.write(in.readNBytes(length));
        String _ = line(in);
      } while (length > 0);
    }
    return all.toByteArray();
  }

  /// Accepts the connection, and repeats one short message.
  private static void webSocket(Socket client, InputStream in, String key) throws IOException {
    write(
        client,
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: "
            + accept(key)
            + "\r\n\r\n");
    byte[] head = in.readNBytes(6);
    if (head.length < 6) {
      return;
    }
    byte[] message = in.readNBytes(head[1] & 0x7f);
    for (int i = 0; i < message.length; i++) {
      message[i] = (byte) (message[i] ^ head[2 + i % 4]);
    }
    OutputStream out = client.getOutputStream();
    out.write(new byte[] {head[0], (byte) message.length});
    out.write(message);
    out.flush();
  }

  private static String accept(String key) {
    try {
      MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
      byte[] hash = sha1.digest((key + WEBSOCKET_GUID).getBytes(StandardCharsets.US_ASCII));
      return Base64.getEncoder().encodeToString(hash);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void write(Socket client, String text) throws IOException {
    client.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    client.getOutputStream().flush();
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
      line.append((char) next);
    }
    return line.toString().stripTrailing();
  }
}
