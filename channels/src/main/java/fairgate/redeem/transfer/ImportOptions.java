package fairgate.redeem.transfer;

import fairgate.kernel.Iso4217;
import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.UnsupportedCharsetException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// The options for reading a file. Options that were not given are empty.
///
/// @param product the product of all rows, regardless of the column
/// @param platform the platform of rows without one
/// @param status the status of all rows if the file has no such column
/// @param currency ISO 4217, of all amounts
/// @param zone of times without one, such as `Asia/Shanghai`
/// @param encoding instead of detecting it
/// @param headings field (`order_id`, ...) to its heading in this file
/// @param exportedAt the time of the export, in RFC 3339; empty = that of its newest order
/// @param trustZeros whether order numbers that end like Excel's damage are correct
/// @param dryRun whether to write nothing
public record ImportOptions(
    String product,
    String platform,
    String status,
    String currency,
    String zone,
    String encoding,
    Map<String, String> headings,
    String exportedAt,
    boolean trustZeros,
    boolean dryRun) {
  /// The currency of amounts where none is given.
  public static final String CURRENCY = "CNY";

  public static final List<String> FIELDS =
      Arrays.stream(ImportField.values()).map(ImportField::wireName).toList();

  public ImportOptions {
    headings = Map.copyOf(headings);
  }

  /// Nothing special: the default header, everything found out.
  public static ImportOptions defaults() {
    return new ImportOptions("", "", "", CURRENCY, "", "", Map.of(), "", false, false);
  }

  /// The name of an option that cannot be used, and empty when all can.
  public Optional<String> problem() {
    if (headings.keySet().stream().anyMatch(name -> ImportField.named(name).isEmpty())) {
      return Optional.of("map");
    }
    if (!status.isEmpty() && StatusWords.known(status).isEmpty()) {
      return Optional.of("status");
    }
    if (!exportedAt.isEmpty() && exported().isEmpty()) {
      return Optional.of("exported_at");
    }
    if (!Iso4217.isInUse(currency)) {
      return Optional.of("currency");
    }
    try {
      ZoneId _ = ZoneId.of(zone.isEmpty() ? "Z" : zone);
    } catch (DateTimeException _) {
      return Optional.of("zone");
    }
    try {
      Charset _ = Charset.forName(encoding.isEmpty() ? "UTF-8" : encoding);
    } catch (IllegalCharsetNameException | UnsupportedCharsetException _) {
      return Optional.of("encoding");
    }
    return Optional.empty();
  }

  /// The zone of times that name none, if one is given.
  Optional<ZoneId> zoneOfTimes() {
    return zone.isEmpty() ? Optional.empty() : Optional.of(ZoneId.of(zone));
  }

  /// The time of the export, if it was given.
  Optional<Instant> exported() {
    return CellParser.time(exportedAt, Optional.empty());
  }

  /// The same for the same options, for telling whether a file was imported with them before.
  String fingerprint() {
    return String.join(
        "\n",
        product,
        platform,
        status,
        currency,
        zone,
        encoding,
        new TreeMap<>(headings).toString() + exportedAt,
        Boolean.toString(trustZeros),
        Boolean.toString(dryRun));
  }
}
