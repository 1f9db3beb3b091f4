package fairgate.platform.events;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.kernel.ProductId;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/// Outbox entries as records of the topic: the key is the product's id, so that a sale's entries
/// stay in one partition; the value is JSON, `{"product_id", "entry_id", "event": {fields}}`.
final class KafkaRecords {
  static final String TOPIC = "fairgate.orders";

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final ProductId NOBODY = new ProductId("0");
  private static final int SHOWN = 1_000;

  /// An entry and the way it came.
  ///
  /// @param stream named after the partition, for one entry may lie in two
  record Arrived(OutboxStream stream, OutboxEntry entry) {}

  private KafkaRecords() {}

  static ProducerRecord<String, byte[]> of(OutboxStream stream, OutboxEntry entry) {
    String product = stream.product().value();
    ObjectNode json =
        JSON.createObjectNode().put("product_id", product).put("entry_id", entry.id());
    ObjectNode event = json.putObject("event");
    entry.fields().forEach(event::put);
    try {
      return new ProducerRecord<>(TOPIC, product, JSON.writeValueAsBytes(json));
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("the entry is no JSON", e);
    }
  }

  /// Never fails: what somebody else wrote becomes an entry that the ledger will not take, and ends
  /// among the dead letters.
  static Arrived read(ConsumerRecord<String, byte[]> record) {
    String way = record.topic() + "-" + record.partition();
    try {
      JsonNode json = JSON.readTree(record.value() == null ? new byte[0] : record.value());
      ProductId product = new ProductId(json.path("product_id").asText());
      Map<String, String> fields = new HashMap<>();
      json.path("event")
          .properties()
          .forEach(field -> fields.put(field.getKey(), field.getValue().asText()));
      return new Arrived(
          new OutboxStream(product, way), new OutboxEntry(json.path("entry_id").asText(), fields));
    } catch (IOException | IllegalArgumentException e) {
      OutboxEntry strange =
          new OutboxEntry(way + "@" + record.offset(), Map.of("value", shown(record.value())));
      return new Arrived(new OutboxStream(keyOf(record.key()), way), strange);
    }
  }

  private static ProductId keyOf(@Nullable String key) {
    return key != null && ProductId.isValid(key) ? new ProductId(key) : NOBODY;
  }

  private static String shown(byte @Nullable [] value) {
    if (value == null) {
      return "";
    }
    return new String(value, 0, Math.min(SHOWN, value.length), StandardCharsets.UTF_8);
  }
}
