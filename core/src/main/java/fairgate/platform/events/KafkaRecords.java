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

/// Converts outbox entries to records of the topic and back. The key is the product id, so that the
/// entries of a sale are in one partition; the value is JSON, `{"product_id", "entry_id", "event":
/// {fields}}`.
final class KafkaRecords {
  static final String TOPIC = "fairgate.orders";

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final ProductId UNKNOWN_PRODUCT = new ProductId("0");
  private static final int SHOWN = 1_000;

  /// An entry and its source.
  ///
  /// @param stream named after the partition, because an entry may be in two
  record ReceivedEntry(OutboxStream stream, OutboxEntry entry) {}

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
      throw new IllegalArgumentException("the entry cannot be written as JSON", e);
    }
  }

  /// Never fails: a malformed record becomes an entry that the ledger refuses, and ends in the dead
  /// letters.
  static ReceivedEntry read(ConsumerRecord<String, byte[]> record) {
    String source = record.topic() + "-" + record.partition();
    try {
      JsonNode json = JSON.readTree(record.value() == null ? new byte[0] : record.value());
      ProductId product = new ProductId(json.path("product_id").asText());
      Map<String, String> fields = new HashMap<>();
      json.path("event")
          .properties()
          .forEach(field -> fields.put(field.getKey(), field.getValue().asText()));
      return new ReceivedEntry(
          new OutboxStream(product, source),
          new OutboxEntry(json.path("entry_id").asText(), fields));
    } catch (IOException | IllegalArgumentException e) {
      OutboxEntry malformed =
          new OutboxEntry(source + "@" + record.offset(), Map.of("value", shown(record.value())));
      return new ReceivedEntry(new OutboxStream(keyOf(record.key()), source), malformed);
    }
  }

  private static ProductId keyOf(@Nullable String key) {
    return key != null && ProductId.isValid(key) ? new ProductId(key) : UNKNOWN_PRODUCT;
  }

  private static String shown(byte @Nullable [] value) {
    if (value == null) {
      return "";
    }
    return new String(value, 0, Math.min(SHOWN, value.length), StandardCharsets.UTF_8);
  }
}
