package fairgate.app.client;

import fairgate.app.config.ConfigReader;
import fairgate.app.config.FairgateConfig;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The options for a command's server and token.
final class ServerOptions {
  @Option(
      names = "--server",
      paramLabel = "URL",
      description = "Default: this machine, at the configured port.")
  private @Nullable URI server;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Settings; default: fairgate.yaml, if it is there.")
  private @Nullable Path config;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "The data folder of `up`, whose token is used; default: ./data.")
  private @Nullable Path data;

  /// Connects with the configured token, or with the one that `up` stores in its data folder.
  AdminClient connect() {
    Map<String, String> options = new LinkedHashMap<>();
    if (data != null) {
      options.put("data_dir", data.toString());
    }
    FairgateConfig settings =
        FairgateConfig.of(ConfigReader.read(Optional.ofNullable(config), System.getenv(), options));
    String token = settings.keys().operatorToken().expose();
    return new AdminClient(
        server == null ? here(settings.server()) : server,
        token.isEmpty() ? kept(settings.dataDir()) : token);
  }

  private static URI here(FairgateConfig.Server server) {
    String host = server.host().equals("0.0.0.0") ? "127.0.0.1" : server.host();
    return URI.create(
        "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + server.port());
  }

  private static String kept(Path data) {
    Path file = data.resolve("secrets").resolve("operator-token");
    try {
      return Files.readString(file).strip();
    } catch (IOException _) {
      throw new ClientFailed(
          "no operator token: set FAIRGATE_OPERATOR_TOKEN, or name the data folder of `up` with"
              + " --data ("
              + file
              + " cannot be read)");
    }
  }
}
