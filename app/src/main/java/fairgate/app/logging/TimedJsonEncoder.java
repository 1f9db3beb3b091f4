package fairgate.app.logging;

import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;

/// The JSON of Logback with a first field `time`, which people can read: `timestamp` counts
/// milliseconds. `logback-serve.xml` names it.
public final class TimedJsonEncoder extends JsonEncoder {
  private static final DateTimeFormatter MILLISECONDS =
      new DateTimeFormatterBuilder().appendInstant(3).toFormatter();

  @Override
  public byte[] encode(ILoggingEvent event) {
    String time = MILLISECONDS.format(Instant.ofEpochMilli(event.getTimeStamp()));
    byte[] json = super.encode(event);
    ByteArrayOutputStream line = new ByteArrayOutputStream(json.length + 40);
    line.writeBytes(("{\"time\":\"" + time + "\",").getBytes(StandardCharsets.US_ASCII));
    // Behind the opening bracket of the object.
    line.write(json, 1, json.length - 1);
    return line.toByteArray();
  }
}
