package fairgate.redeem.transfer;

import java.nio.charset.Charset;
import java.nio.charset.IllegalCharsetNameException;
import java.nio.charset.UnsupportedCharsetException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.Currency;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/// How a file is to be read. Texts that are not given are empty.
///
/// @param product the product of all rows, whatever a column says
/// @param platform the platform of rows that name none
/// @param status the status of all rows where the file has no such column
/// @param currency ISO 4217, of all amounts
/// @param zone of times that name none, such as `Asia/Shanghai`
/// @param encoding instead of finding it out
/// @param headings field (`order_id`, ...) to the heading it has in this file
/// @param exportedAt when the file was made, in RFC 3339; empty = as new as its newest order
/// @param trustZeros whether order numbers that end as Excel's damage does are right
/// @param dryRun whether to look only
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

  /// The fields a heading can be given for.
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
    if (!status.isEmpty() && CellParser.status(status).isEmpty()) {
      return Optional.of("status");
    }
    if (!exportedAt.isEmpty() && exported().isEmpty()) {
      return Optional.of("exported_at");
    }
    try {
      Currency _ = Currency.getInstance(currency);
    } catch (IllegalArgumentException _) {
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

  /// When the file was made, if that is said.
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
