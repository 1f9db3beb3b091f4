package fairgate.app.client;

import fairgate.app.client.AdminClient.Response;
import fairgate.app.client.AdminClient.Unreachable;
import fairgate.platform.json.JsonText;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// Exports codes from a server into a file.
@Command(
    name = "export-codes",
    description = {
      "Writes the redemption codes to a CSV file.",
      "The server must be running. The file is safe for spreadsheets.",
      "Codes and order numbers are masked; --full writes them whole, and the server keeps who took",
      "them, when and why."
    })
public final class ExportCodesCommand implements Callable<Integer> {
  private static final String PATH = "/api/admin/redeem/export";

  @Spec private @Nullable CommandSpec spec;

  @Mixin private final ServerOptions server = new ServerOptions();

  @Parameters(paramLabel = "FILE", description = "Where to write; must not exist yet.")
  private @Nullable Path file;

  @Option(names = "--product", paramLabel = "ID", description = "Codes of this product only.")
  private String product = "";

  @Option(
      names = "--state",
      paramLabel = "STATE",
      description = "available, assigned, activated, expired, revoked or replaced only.")
  private String state = "";

  @Option(names = "--full", description = "Whole codes and order numbers; needs --reason.")
  private boolean full;

  @Option(names = "--reason", paramLabel = "TEXT", description = "Why whole codes are taken out.")
  private String reason = "";

  @Override
  public Integer call() {
    Path to = Objects.requireNonNull(file);
    if (full == reason.isBlank()) {
      throw new ClientFailed("--full and --reason belong together");
    }
    if (Files.exists(to)) {
      throw new ClientFailed(to + " exists already");
    }
    AdminClient client = server.connect();
    try {
      Response answer = client.download(PATH + query(), body(), to);
      if (!answer.granted()) {
        throw new ClientFailed(answer.text("message"));
      }
    } catch (Unreachable away) {
      throw new ClientFailed(String.valueOf(away.getMessage()));
    }
    var out = Objects.requireNonNull(spec).commandLine().getOut();
    out.println((full ? "whole codes: " : "masked codes: ") + to);
    out.flush();
    return 0;
  }

  private String query() {
    if (full) {
      return "";
    }
    StringBuilder query = new StringBuilder();
    add(query, "product_id", product);
    add(query, "state", state);
    return query.toString();
  }

  private static void add(StringBuilder query, String name, String value) {
    if (!value.isEmpty()) {
      query.append(query.isEmpty() ? '?' : '&').append(name).append('=');
      query.append(URLEncoder.encode(value, StandardCharsets.UTF_8));
    }
  }

  private String body() {
    if (!full) {
      return "";
    }
    return JsonText.object()
        .put("full", true)
        .put("reason", reason)
        .put("product_id", product.isEmpty() ? null : product)
        .put("state", state.isEmpty() ? null : state)
        .toString();
  }
}
