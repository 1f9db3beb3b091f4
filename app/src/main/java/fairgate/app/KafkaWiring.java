package fairgate.app;

import fairgate.app.command.StartFailed;
import fairgate.app.config.FairgateConfig;
import fairgate.platform.events.KafkaLog;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/// Wires Kafka between Redis and the ledger, if it is configured.
final class KafkaWiring {
  private KafkaWiring() {}

  /// Empty when the relay writes to the ledger directly.
  static Optional<KafkaLog> log(FairgateConfig config, String node) {
    FairgateConfig.Kafka kafka = config.stores().kafka();
    if (kafka.servers().isEmpty()) {
      return Optional.empty();
    }
    KafkaLog.Settings settings =
        new KafkaLog.Settings(kafka.servers(), properties(kafka.clientFile()));
    return Optional.of(KafkaLog.at(settings, node));
  }

  private static Map<String, String> properties(String file) {
    Properties properties = new Properties();
    if (!file.isEmpty()) {
      try (Reader text = Files.newBufferedReader(Path.of(file))) {
        properties.load(text);
      } catch (IOException | IllegalArgumentException e) {
        throw new StartFailed("kafka.client_file: cannot read " + file + ": " + e);
      }
    }
    Map<String, String> all = new HashMap<>();
    properties.stringPropertyNames().forEach(name -> all.put(name, properties.getProperty(name)));
    return all;
  }
}
