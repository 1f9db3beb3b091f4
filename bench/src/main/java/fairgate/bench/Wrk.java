package fairgate.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Runs `wrk` on the loopback for some seconds.
@SuppressWarnings("InlineFormatString") // A script reads better apart from the call.
final class Wrk {
  private static final Pattern SPEED = Pattern.compile("Requests/sec:\\s+([0-9.]+)");
  private static final Pattern COUNT = Pattern.compile("(\\d+) requests in [0-9.]+[a-z]+");
  private static final Pattern OTHER = Pattern.compile("Non-2xx or 3xx responses: (\\d+)");
  private static final Pattern SOCKET = Pattern.compile("Socket errors: (.*)");
  private static final int THREADS = 2;
  private static final int CONNECTIONS = 256;

  /// Each thread walks through its own share of the list of prepared requests.
  private static final String WALK =
      """
      local threads = 0
      function setup(thread)
        thread:set('share', threads)
        threads = threads + 1
      end
      function init(args)
        requests, at, n = {}, 0, 0
        local line = 0
        for session in io.lines('LIST') do
          if line % THREADS == share then
            n = n + 1
            requests[n] = wrk.format(FORMAT)
          end
          line = line + 1
        end
      end
      function request()
        at = at % n + 1
        return requests[at]
      end
      """;

  private final String base;
  private final Path folder;

  Wrk(int port, Path folder) {
    this.base = "http://127.0.0.1:" + port;
    this.folder = folder;
  }

  /// The result of one run.
  ///
  /// @param perSecond requests per second
  /// @param granted responses with status 2xx
  /// @param refused other responses
  record Run(double perSecond, long granted, long refused) {
    Run allGranted() throws IOException {
      if (refused > 0) {
        throw new IOException(refused + " of " + (granted + refused) + " were refused");
      }
      return this;
    }

    Run allRefused() throws IOException {
      if (granted > 0) {
        throw new IOException(granted + " of " + (granted + refused) + " were granted");
      }
      return this;
    }
  }

  /// The same GET again and again.
  Run get(String path, int seconds) throws IOException, InterruptedException {
    return run(List.of(), path, seconds);
  }

  /// The same POST again and again.
  Run post(String path, String json, int seconds) throws IOException, InterruptedException {
    String script =
        "wrk.method = 'POST'\nwrk.headers['Content-Type'] = 'application/json'\n"
            + "wrk.body = '"
            + json
            + "'\n";
    return scripted(script, path, seconds);
  }

  /// The same POST from each address in turn, over and over.
  Run post(String path, List<String> addresses, String json, int seconds)
      throws IOException, InterruptedException {
    String format =
        "'POST', '%s', {['Content-Type']='application/json', ['X-Forwarded-For']=session}, '%s'"
            .formatted(path, json);
    return walk(addresses, format, seconds);
  }

  /// A POST of a browser at each address in turn, over and over.
  Run browsers(String path, List<String> addresses, String json, int seconds)
      throws IOException, InterruptedException {
    String format =
        "'POST', '%s', {['Content-Type']='application/json', ['X-Forwarded-For']=session,"
                .formatted(path)
            + " ['User-Agent']='Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36"
            + " (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36', ['Accept-Language']='zh-TW'},"
            + " '%s'".formatted(json);
    return walk(addresses, format, seconds);
  }

  /// A GET from each address, once or a little more; how many a second.
  double once(List<String> addresses, String path) throws IOException, InterruptedException {
    int seconds = 60;
    String format = "'GET', '%s', {['X-Forwarded-For']=session}".formatted(path);
    Run run = walk(addresses, format, seconds);
    if (run.granted() < addresses.size()) {
      throw new IOException("only " + run.granted() + " came by in " + seconds + " s");
    }
    return run.perSecond();
  }

  /// A GET for each session in turn.
  Run status(List<String> sessions, int seconds) throws IOException, InterruptedException {
    return walk(sessions, "'GET', '/api/queue/status?session_id=' .. session", seconds);
  }

  /// A purchase for each session in turn, over and over.
  Run purchase(List<String> sessions, String product, int seconds)
      throws IOException, InterruptedException {
    String body = "{\"product_id\":\"%s\",\"quantity\":1}".formatted(product);
    String format =
        "'POST', '/api/purchase', {['Content-Type']='application/json', ['X-Session-Id']=session},"
            + " '"
            + body
            + "'";
    return walk(sessions, format, seconds);
  }

  /// A claim of each order in turn, over and over, each by a browser never seen before.
  Run claims(List<String> orders, String product, int seconds)
      throws IOException, InterruptedException {
    String body =
        "'{\"order_id\":\"' .. session .. '\",\"product_id\":\"%s\",\"device_id\":\"web_abc123xyz456\"}'"
            .formatted(product);
    String format = "'POST', '/api/redeem/claim', {['Content-Type']='application/json'}, " + body;
    return walk(orders, format, seconds);
  }

  /// The same webhook again and again: its signature, a blank, its body.
  Run webhook(String signed, int seconds) throws IOException, InterruptedException {
    String script =
        "wrk.method = 'POST'\nwrk.headers['Content-Type'] = 'application/json'\n"
            + "wrk.headers['X-Line-Signature'] = '%s'\nwrk.body = '%s'\n"
                .formatted(signed.substring(0, 44), signed.substring(45));
    return scripted(script, "/line/webhook", seconds);
  }

  /// A webhook for each line in turn: its signature, a blank, its body.
  Run webhooks(List<String> signed, int seconds) throws IOException, InterruptedException {
    String format =
        "'POST', '/line/webhook', {['Content-Type']='application/json',"
            + " ['X-Line-Signature']=string.sub(session, 1, 44)}, string.sub(session, 46)";
    return walk(signed, format, seconds);
  }

  /// A GET for each path in turn.
  Run paths(List<String> paths, int seconds) throws IOException, InterruptedException {
    return walk(paths, "'GET', session, {['User-Agent']='Mozilla/5.0 (bench)'}", seconds);
  }

  private Run walk(List<String> sessions, String format, int seconds)
      throws IOException, InterruptedException {
    Path list = Files.write(folder.resolve("sessions.txt"), sessions);
    return scripted(
        WALK.replace("LIST", list.toString())
            .replace("THREADS", Integer.toString(THREADS))
            .replace("FORMAT", format),
        "/",
        seconds);
  }

  private Run scripted(String script, String path, int seconds)
      throws IOException, InterruptedException {
    Path file = Files.writeString(folder.resolve("wrk.lua"), script);
    return run(List.of("-s", file.toString()), path, seconds);
  }

  private Run run(List<String> options, String path, int seconds)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("wrk", "-t" + THREADS, "-c" + CONNECTIONS, "-d" + seconds + "s"));
    command.addAll(List.of("--timeout", "10s"));
    command.addAll(options);
    command.add(base + path);
    Process wrk = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(wrk.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    Matcher speed = SPEED.matcher(said);
    Matcher count = COUNT.matcher(said);
    if (wrk.waitFor() != 0 || !speed.find() || !count.find() || SOCKET.matcher(said).find()) {
      throw new IOException("wrk " + path + ":\n" + said);
    }
    Matcher other = OTHER.matcher(said);
    long refused = other.find() ? Long.parseLong(other.group(1)) : 0;
    return new Run(
        Double.parseDouble(speed.group(1)), Long.parseLong(count.group(1)) - refused, refused);
  }
}
