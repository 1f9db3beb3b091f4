package fairgate.testkit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/// Sends requests to a loopback port exactly as written.
public final class RawHttp {
  private static final int TIMEOUT_MILLIS = 30_000;

  private RawHttp() {}

  /// An answer; the status is 0 when the connection closed without one.
  ///
  /// @param headers by name in lower case
  public record Answer(int status, Map<String, String> headers, String body) {
    public Answer {
      headers = Map.copyOf(headers);
    }

    /// The value of a header, by its name in lower case; empty when absent.
    public String header(String name) {
      return headers.getOrDefault(name, "");
    }
  }

  /// Sends a request without a body.
  ///
  /// @param headers whole lines; `Host: shop.example.com` and `Connection: close` are added unless
  ///   given
  public static Answer send(int port, String method, String target, String... headers) {
    return send(port, method, target, new byte[0], headers);
  }

  /// Sends a request with a body.
  public static Answer send(
      int port, String method, String target, byte[] body, String... headers) {
    StringBuilder head = new StringBuilder(method + ' ' + target + " HTTP/1.1\r\n");
    boolean host = false;
    boolean connection = false;
    for (String line : headers) {
      head.append(line).append("\r\n");
      host |= line.toLowerCase(Locale.ROOT).startsWith("host:");
      connection |= line.toLowerCase(Locale.ROOT).startsWith("connection:");
    }
    head.append(host ? "" : "Host: " + ForeignShop.HOST + "\r\n");
    head.append(connection ? "" : "Connection: close\r\n");
    head.append(body.length == 0 ? "" : "Content-Length: " + body.length + "\r\n").append("\r\n");
    try (Socket socket = connect(port)) {
      socket.getOutputStream().write(head.toString().getBytes(StandardCharsets.UTF_8));
      socket.getOutputStream().write(body);
      socket.getOutputStream().flush();
      return parse(readAll(socket.getInputStream(), method));
    } catch (IOException closed) {
      return new Answer(0, Map.of(), "");
    }
  }

  /// Opens a WebSocket, sends `hello` and returns the answer; its body is the message that came
  /// back.
  public static Answer webSocket(int port, String target, String... headers) {
    StringBuilder head = new StringBuilder("GET " + target + " HTTP/1.1\r\n");
    head.append("Host: " + ForeignShop.HOST + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n");
    head.append("Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n");
    for (String line : headers) {
      head.append(line).append("\r\n");
    }
    try (Socket socket = connect(port)) {
      socket.getOutputStream().write((head + "\r\n").getBytes(StandardCharsets.US_ASCII));
      InputStream in = socket.getInputStream();
      Answer answer = parse(readHead(in));
      if (answer.status() != 101) {
        return answer;
      }
      // A masked text frame; the mask is zero.
      byte[] frame =
          "\u0000\u0000\u0000\u0000\u0000\u0000hello".getBytes(StandardCharsets.US_ASCII);
      frame[0] = (byte) 0x81;
      frame[1] = (byte) 0x85;
      socket.getOutputStream().write(frame);
      byte[] back = in.readNBytes(7);
      return new Answer(
          101, answer.headers(), new String(back, 2, back.length - 2, StandardCharsets.US_ASCII));
    } catch (IOException closed) {
      return new Answer(0, Map.of(), "");
    }
  }

  private static Socket connect(int port) throws IOException {
    Socket socket = new Socket();
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    return socket;
  }

  /// Reads the head, and the body that it announces.
  private static String readAll(InputStream in, String method) throws IOException {
    String head = readHead(in);
    Answer answer = parse(head);
    String length = answer.header("content-length");
    if (method.equals("HEAD") || answer.status() == 204) {
      return head;
    }
    byte[] body = length.isEmpty() ? in.readAllBytes() : in.readNBytes(Integer.parseInt(length));
    return head + new String(body, StandardCharsets.UTF_8);
  }

  private static String readHead(InputStream in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    int ends = 0;
    while (ends < 2) {
      int next = in.read();
      if (next < 0) {
        break;
      }
      head.write(next);
      ends = next == '\n' ? ends + 1 : next == '\r' ? ends : 0;
    }
    return head.toString(StandardCharsets.ISO_8859_1);
  }

  private static Answer parse(String text) {
    int end = text.indexOf("\r\n\r\n");
    if (end < 0 || !text.startsWith("HTTP/1.")) {
      return new Answer(0, Map.of(), text);
    }
    Map<String, String> headers = new TreeMap<>();
    String[] lines = text.substring(0, end).split("\r\n", -1);
    for (int i = 1; i < lines.length; i++) {
      int colon = lines[i].indexOf(':');
      headers.merge(
          lines[i].substring(0, colon).toLowerCase(Locale.ROOT),
          lines[i].substring(colon + 1).strip(),
          (one, other) -> one + "\n" + other);
    }
    return new Answer(Integer.parseInt(text.substring(9, 12)), headers, text.substring(end + 4));
  }
}
