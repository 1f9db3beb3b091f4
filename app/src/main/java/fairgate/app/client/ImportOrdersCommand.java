package fairgate.app.client;

import fairgate.app.client.AdminClient.Response;
import fairgate.app.client.AdminClient.Unreachable;
import fairgate.platform.json.JsonObject;
import fairgate.platform.json.JsonText;
import java.io.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// Uploads a file of orders to a server and shows the progress of the import.
@Command(
    name = "import-orders",
    description = {
      "Imports orders of other platforms from a CSV file.",
      "The server must be running.",
      "The header is order_id,product_id,platform,amount,status,paid_at,expires_at and, where you",
      "bring your own codes, code; exports of Taobao, Xiaohongshu and Douyin are understood too.",
      "The same file twice does nothing twice; an interrupted import goes on where it stopped.",
      "Exit code 1 when rows were refused; they are in FILE.errors.csv, with the reason."
    })
public final class ImportOrdersCommand implements Callable<Integer> {
  private static final String PATH = "/api/admin/orders/import";
  private static final Duration LOOK = Duration.ofMillis(300);
  private static final Duration PAUSE = Duration.ofSeconds(2);
  private static final int TRIES = 20;

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final ServerOptions server = new ServerOptions();

  @Parameters(
      paramLabel = "FILE",
      arity = "0..1",
      description = "The file: UTF-8, UTF-16, GBK or Big5.")
  private @Nullable Path file;

  @Option(names = "--product", paramLabel = "ID", description = "The product of all rows.")
  private String product = "";

  @Option(
      names = "--platform",
      paramLabel = "NAME",
      description = "The platform of rows that name none.")
  private String platform = "";

  @Option(
      names = "--status",
      paramLabel = "STATUS",
      description = "The status of all rows, where the file has none.")
  private String status = "";

  @Option(
      names = "--currency",
      paramLabel = "CODE",
      description = "Of all amounts; default: ${DEFAULT-VALUE}.")
  private String currency = "CNY";

  @Option(
      names = "--zone",
      paramLabel = "ZONE",
      description = "Of times that name none, such as Asia/Shanghai.")
  private String zone = "";

  @Option(
      names = "--encoding",
      paramLabel = "NAME",
      description = "Instead of finding it out, such as GBK.")
  private String encoding = "";

  @Option(
      names = "--map",
      paramLabel = "FIELD=HEADING",
      description = "What a field is called in the file's header; repeatable.")
  private Map<String, String> headings = new LinkedHashMap<>();

  @Option(
      names = "--word",
      paramLabel = "WORD=STATUS",
      description = {
        "What a word for the status means, in this file and all later ones; repeatable.",
        "STATUS is paid, pending, cancelled, refunded, or unknown to forget the word."
      })
  private Map<String, String> words = new LinkedHashMap<>();

  @Option(
      names = "--exported-at",
      paramLabel = "TIME",
      description = "When the file was made (RFC 3339), where its newest payment does not tell.")
  private String exportedAt = "";

  @Option(
      names = "--undo",
      paramLabel = "ID",
      description = "Undoes an import instead: orders and codes are as they were before.")
  private String undo = "";

  @Option(
      names = "--trust-zeros",
      description = "Order numbers that end in zeros are right, not damaged by Excel.")
  private boolean trustZeros;

  @Option(names = "--dry-run", description = "Only tells what would happen.")
  private boolean dryRun;

  @Option(
      names = "--errors",
      paramLabel = "FILE",
      description = "Where to put the refused rows; default: FILE.errors.csv.")
  private @Nullable Path errors;

  @Override
  public Integer call() throws IOException {
    if (!undo.isEmpty()) {
      return undone(server.connect());
    }
    Path orders = file;
    if (orders == null) {
      throw new ClientFailed("name the FILE to import, or an import to --undo");
    }
    if (!Files.isReadable(orders) || Files.isDirectory(orders)) {
      throw new ClientFailed(orders + " cannot be read");
    }
    AdminClient client = server.connect();
    mapWords(client);
    Response ended = imported(client, orders);
    report(client, ended);
    if (!ended.text("state").equals("done")) {
      return 1;
    }
    if (ended.number("refused") == 0) {
      return 0;
    }
    Path to = errors == null ? orders.resolveSibling(orders.getFileName() + ".errors.csv") : errors;
    try {
      Response got = client.download(PATH + "/" + ended.text("id") + "/errors.csv", "", to);
      out().println(got.granted() ? "refused rows: " + to : got.text("message"));
    } catch (Unreachable away) {
      out().println(away.getMessage());
    }
    out().flush();
    return 1;
  }

  private void mapWords(AdminClient client) {
    for (Map.Entry<String, String> each : words.entrySet()) {
      String body =
          JsonText.object().put("word", each.getKey()).put("status", each.getValue()).toString();
      try {
        Response answer = client.post(PATH + "-words", body);
        if (!answer.granted()) {
          throw new ClientFailed(refusal(client, answer));
        }
      } catch (Unreachable away) {
        throw new ClientFailed(String.valueOf(away.getMessage()));
      }
    }
  }

  private int undone(AdminClient client) {
    String id = URLEncoder.encode(undo, StandardCharsets.UTF_8);
    Response answer;
    try {
      answer = client.post(PATH + "/" + id + "/undo");
    } catch (Unreachable away) {
      throw new ClientFailed(
          away.getMessage() + "; run the same command again, it goes on where it stopped");
    }
    if (!answer.granted()) {
      throw new ClientFailed(refusal(client, answer));
    }
    Response undone = answer.part("undo");
    out()
        .printf(
            "undone: %,d orders put back, %,d removed, %,d kept because they were redeemed;"
                + " %,d codes revoked, %,d restored%n",
            undone.number("put_back"),
            undone.number("removed"),
            undone.number("kept"),
            undone.number("codes_revoked"),
            undone.number("codes_restored"));
    out().flush();
    return 0;
  }

  /// Uploads the file, with retries, until the import has ended.
  private Response imported(AdminClient client, Path orders) throws IOException {
    String last = "";
    for (int attempt = 0; attempt < TRIES; attempt++) {
      if (attempt > 0) {
        out().println(last + "; trying again");
        out().flush();
        LockSupport.parkNanos(PAUSE.toNanos());
      }
      try {
        Response answer = handIn(client, orders);
        if (!answer.granted() && answer.retryAfter() == 0) {
          throw new ClientFailed(refusal(client, answer));
        }
        if (answer.granted()) {
          Response ended = watch(client, answer);
          if (ended.text("state").equals("done")) {
            return ended;
          }
          last = "the import was interrupted";
        } else {
          last = refusal(client, answer);
        }
      } catch (Unreachable away) {
        if (attempt == 0 && away.getCause() instanceof java.net.ConnectException) {
          throw new ClientFailed(
              away.getMessage() + "; start it with ./fairgate up, or name it with --server");
        }
        last = String.valueOf(away.getMessage());
      }
    }
    throw new ClientFailed(last + "; run the same command again, it goes on where it stopped");
  }

  private Response handIn(AdminClient client, Path orders) throws Unreachable, IOException {
    long size = Files.size(orders);
    ProgressBar bar = bar("sending  ");
    try {
      return client.upload(
          PATH, query(orders), orders, sent -> bar.show(sent >> 10, size >> 10, "KiB"));
    } finally {
      bar.end();
    }
  }

  private Response watch(AdminClient client, Response begun) throws Unreachable {
    ProgressBar bar = bar(dryRun ? "looking  " : "importing");
    Response now = begun;
    int lost = 0;
    while (true) {
      bar.show(now.number("rows_done"), now.number("rows_total"), "rows");
      if (!now.text("state").equals("running")) {
        bar.end();
        return now;
      }
      LockSupport.parkNanos(LOOK.toNanos());
      try {
        Response next = client.get(PATH + "/" + begun.text("id"));
        now = next.granted() ? next : now;
        lost = 0;
      } catch (Unreachable away) {
        lost++;
        if (lost > TRIES) {
          bar.end();
          throw away;
        }
        LockSupport.parkNanos(PAUSE.toNanos());
      }
    }
  }

  private Map<String, String> query(Path orders) {
    Map<String, String> query = new LinkedHashMap<>();
    query.put("file_name", String.valueOf(orders.getFileName()));
    query.put("product", product);
    query.put("platform", platform);
    query.put("status", status);
    query.put("currency", currency);
    query.put("zone", zone);
    query.put("encoding", encoding);
    query.put("exported_at", exportedAt);
    query.put("trust_zeros", Boolean.toString(trustZeros));
    query.put("dry_run", Boolean.toString(dryRun));
    headings.forEach((field, heading) -> query.put("map." + field, heading));
    query.values().removeIf(String::isEmpty);
    return query;
  }

  private void report(AdminClient client, Response ended) {
    String repeated =
        ended.json().get("repeated") instanceof Boolean again && again
            ? "This file was imported before: "
            : dryRun
                ? "Dry run, nothing was written: "
                : ended.number("run") > 1
                    ? "This file was imported before; run " + ended.number("run") + ": "
                    : "";
    out()
        .printf(
            "%s%,d rows: %,d added, %,d updated, %,d unchanged, %,d duplicates, %,d refused%n",
            repeated,
            ended.number("rows_done"),
            ended.number("added"),
            ended.number("updated"),
            ended.number("unchanged"),
            ended.number("duplicates"),
            ended.number("refused"));
    if (!ended.text("notice").isEmpty()) {
      out().println(ended.text("notice"));
    }
    unknownWords(ended);
    if (!dryRun && ended.number("added") + ended.number("updated") > 0) {
      out()
          .printf(
              "to undo it: ./fairgate import-orders --undo=%s --server=%s%n",
              ended.text("id"), client.server());
    }
    out().flush();
  }

  private void unknownWords(Response ended) {
    if (!(ended.json().get("unknown_words") instanceof List<?> unknown)) {
      return;
    }
    for (Object each : unknown) {
      if (each instanceof JsonObject word) {
        out()
            .printf(
                "unknown status \"%s\" in %s rows; say once what it means: --word \"%s=STATUS\"%n",
                word.get("word"), word.get("rows"), word.get("word"));
      }
    }
  }

  private static String refusal(AdminClient client, Response answer) {
    String message = answer.text("message");
    return message.isEmpty()
        ? client.server() + " answered " + answer.status() + "; is it a Fairgate server?"
        : message + option(answer.text("field"));
  }

  /// The options that solve a refusal; empty for none.
  private static String option(String field) {
    return switch (field) {
      case "map.product_id" -> " (--map product_id=HEADING, --product ID)";
      case "map.status" -> " (--map status=HEADING, --status STATUS)";
      case "encoding" -> " (--encoding NAME)";
      default -> field.startsWith("map.") ? " (--map " + field.substring(4) + "=HEADING)" : "";
    };
  }

  @SuppressWarnings("SystemConsoleNull") // Null where the JDK's own console is switched off.
  private ProgressBar bar(String what) {
    Console console = System.console();
    boolean terminal = console != null && console.isTerminal();
    return new ProgressBar(out(), terminal, System::nanoTime, what);
  }

  private PrintWriter out() {
    return Objects.requireNonNull(spec).commandLine().getOut();
  }
}
