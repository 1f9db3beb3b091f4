package fairgate.platform.events;

import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The addresses and client settings of Kafka.
///
/// @param servers `host:port` of the bootstrap servers
/// @param client the operator's own client settings, such as `security.protocol`
public record KafkaSettings(List<String> servers, Map<String, String> client) {
  private static final Pattern SERVER = Pattern.compile("(\\[[0-9a-fA-F:.]+]|[^:\\s]+):\\d{1,5}");

  public KafkaSettings {
    servers = List.copyOf(servers);
    client = Map.copyOf(client);
  }

  /// Settings with these addresses and no further client settings.
  public static KafkaSettings at(List<String> servers) {
    return new KafkaSettings(servers, Map.of());
  }

  /// Parses addresses separated by commas. Throws IllegalArgumentException with the first invalid
  /// one.
  public static List<String> servers(String list) {
    List<String> servers =
        Stream.of(list.split(",", -1)).map(String::strip).filter(one -> !one.isEmpty()).toList();
    for (String server : servers) {
      if (!SERVER.matcher(server).matches()) {
        throw new IllegalArgumentException(server + " is not host:port");
      }
    }
    return servers;
  }

  /// The properties common to all clients.
  Properties properties(String node) {
    Properties all = new Properties();
    all.putAll(client);
    all.put("bootstrap.servers", String.join(",", servers));
    all.put("client.id", "fairgate-" + node);
    all.put("request.timeout.ms", "5000");
    all.put("default.api.timeout.ms", "10000");
    all.put("reconnect.backoff.max.ms", "2000");
    all.put("auto.include.jmx.reporter", "false");
    return all;
  }
}
