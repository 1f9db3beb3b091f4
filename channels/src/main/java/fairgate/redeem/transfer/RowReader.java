package fairgate.redeem.transfer;

import fairgate.redeem.code.SellerCodes;
import fairgate.redeem.orders.OrderNumberFormats;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// Parses the cells of a row into an order, or into the problem with them.
final class RowReader {
  private final FileSummary look;
  private final ImportOptions options;
  private final OrderNumberFormats shapes;
  private final StatusWords words;
  private final Predicate<String> products;
  private final String currency;
  private final Optional<ZoneId> zone;
  private final Optional<String> platformOfFile;
  private List<String> above = List.of();

  sealed interface Reading {
    record ValidRow(ImportRow row) implements Reading {}

    record InvalidRow(RowProblem problem) implements Reading {}

    record Blank() implements Reading {}
  }

  /// Thrown where a cell is wrong; carries no stack trace, for a file may be full of them.
  private static final class RowException extends Exception {
    private static final long serialVersionUID = 1L;

    private final transient RowProblem problem;

    RowException(RowProblem problem) {
      super(problem.key(), null, false, false);
      this.problem = problem;
    }
  }

  /// @param products whether there is a product of this id
  RowReader(
      FileSummary look,
      ImportOptions options,
      OrderNumberFormats shapes,
      StatusWords words,
      Predicate<String> products) {
    this.look = look;
    this.options = options;
    this.shapes = shapes;
    this.words = words;
    this.products = products;
    this.currency = options.currency();
    this.zone = options.zoneOfTimes();
    this.platformOfFile = look.columns().platform();
  }

  /// The row with what its order's row above tells; to be called once for every row of the file in
  /// turn. See [ImportColumns#completed].
  List<String> completed(List<String> cells) {
    List<String> whole = look.columns().completed(cells, above);
    if (!cells.stream().allMatch(String::isBlank)) {
      above = whole;
    }
    return whole;
  }

  Reading read(long number, List<String> cells) {
    if (cells.stream().allMatch(String::isBlank)) {
      return new Reading.Blank();
    }
    try {
      return new Reading.ValidRow(row(number, cells));
    } catch (RowException wrong) {
      return new Reading.InvalidRow(wrong.problem);
    }
  }

  private ImportRow row(long number, List<String> cells) throws RowException {
    ImportRow.Order order = order(cells);
    return new ImportRow(
        number,
        order,
        amount(cell(cells, ImportField.AMOUNT)),
        status(cells),
        time(cells, ImportField.PAID_AT),
        time(cells, ImportField.EXPIRES_AT),
        code(cell(cells, ImportField.CODE)),
        cells);
  }

  private ImportRow.Order order(List<String> cells) throws RowException {
    String written = cell(cells, ImportField.ORDER_ID);
    if (written.isEmpty()) {
      throw wrong("no_order_id");
    }
    String id = shapes.spelled(OrderNumberFormats.normalise(written));
    Optional<RowProblem> damage = look.damage().problem(id, options.trustZeros());
    if (damage.isPresent()) {
      throw new RowException(damage.get());
    }
    String product =
        options.product().isEmpty() ? cell(cells, ImportField.PRODUCT_ID) : options.product();
    String platform = platform(id, cell(cells, ImportField.PLATFORM));
    if (product.isEmpty()) {
      throw wrong("no_product");
    }
    if (!products.test(product)) {
      throw wrong("unknown_product", shortened(product));
    }
    return new ImportRow.Order(platform, id, product);
  }

  /// The platform in the row, else that of the options, else the only one with this number format,
  /// else the one among them whose headings the file has.
  private String platform(String id, String named) throws RowException {
    String given = named.isEmpty() ? options.platform() : platformName(named);
    if (!given.isEmpty()) {
      if (given.equals(OrderNumberFormats.OWN) || !shapes.knows(given)) {
        throw wrong("unknown_platform", shortened(given), importable());
      }
      if (!shapes.fits(given, id)) {
        throw wrong("not_of_platform", shortened(id), given);
      }
      return given;
    }
    List<String> fitting =
        shapes.platformsOf(id).stream()
            .filter(name -> !name.equals(OrderNumberFormats.OWN))
            .toList();
    List<String> own =
        fitting.stream().filter(name -> !name.equals(OrderNumberFormats.GENERIC)).toList();
    if (fitting.isEmpty()) {
      throw wrong("no_order_number", shortened(id));
    }
    Optional<String> ofFile = platformOfFile.filter(own::contains);
    if (own.size() > 1 && ofFile.isPresent()) {
      return ofFile.get();
    }
    if (own.size() > 1) {
      throw wrong("ambiguous_platform", id, String.join(", ", own));
    }
    return own.isEmpty() ? OrderNumberFormats.GENERIC : own.getFirst();
  }

  private static String platformName(String named) {
    String lower = named.toLowerCase(Locale.ROOT);
    return switch (lower) {
      case "淘宝", "淘寶", "天猫", "天貓", "tmall" -> "taobao";
      case "小红书", "小紅書", "rednote" -> "xiaohongshu";
      case "抖音", "抖店" -> "douyin";
      default -> lower;
    };
  }

  private String importable() {
    return String.join(
        ", ",
        shapes.names().stream().filter(name -> !name.equals(OrderNumberFormats.OWN)).toList());
  }

  private String status(List<String> cells) throws RowException {
    String word = cell(cells, ImportField.STATUS);
    String meant =
        word.isEmpty() && !look.columns().has(ImportField.STATUS) ? options.status() : word;
    if (meant.isEmpty()) {
      throw wrong("no_status");
    }
    Optional<String> status = words.status(meant);
    if (status.isEmpty()) {
      throw wrong("unknown_status", shortened(meant, StatusWords.MAX_LENGTH));
    }
    boolean refunded = StatusWords.isRefunded(cell(cells, ImportField.REFUND));
    return refunded ? "refunded" : status.get();
  }

  /// Amounts are stored only, so one that cannot be read does not refuse the row.
  private @Nullable Long amount(String text) {
    return CellParser.amount(text, currency).orElse(null);
  }

  private @Nullable Instant time(List<String> cells, ImportField field) throws RowException {
    String text = cell(cells, field);
    if (text.isEmpty()) {
      return null;
    }
    Optional<Instant> time = CellParser.time(text, zone);
    if (time.isEmpty()) {
      throw wrong(
          CellParser.isLocal(text) ? "no_zone" : "bad_time",
          look.columns().heading(field),
          shortened(text));
    }
    return time.get();
  }

  private static String code(String text) throws RowException {
    int length = text.codePointCount(0, text.length());
    if (length > 0
        && (length < SellerCodes.SellerCode.MIN_LENGTH
            || length > SellerCodes.SellerCode.MAX_LENGTH)) {
      throw wrong(
          "bad_code",
          Integer.toString(SellerCodes.SellerCode.MIN_LENGTH),
          Integer.toString(SellerCodes.SellerCode.MAX_LENGTH));
    }
    return text;
  }

  private String cell(List<String> cells, ImportField field) {
    return look.columns().cell(cells, field);
  }

  private static RowException wrong(String key, String... arguments) {
    return new RowException(RowProblem.of(key, arguments));
  }

  private static String shortened(String text) {
    return shortened(text, 60);
  }

  private static String shortened(String text, int length) {
    return text.length() > length ? text.substring(0, length) + "…" : text;
  }

  /// A row that can be imported.
  ///
  /// @param number its number in the file; the header is row 1
  /// @param amount in minor units; null = the file has none
  /// @param code the seller's own code; empty = none
  /// @param cells the original cells
  record ImportRow(
      long number,
      Order order,
      @Nullable Long amount,
      String status,
      @Nullable Instant paidAt,
      @Nullable Instant expiresAt,
      String code,
      List<String> cells) {
    record Order(String platform, String id, String product) {
      /// The identity of a product of an order: two rows with the same one are duplicates.
      String name() {
        return platform + ' ' + id + ' ' + product;
      }

      boolean isSameOrder(Order other) {
        return platform.equals(other.platform) && id.equals(other.id);
      }
    }

    ImportRow {
      cells = List.copyOf(cells);
    }

    /// Everything but the place in the file; equal for rows that say the same.
    List<Object> content() {
      return List.of(
          order,
          String.valueOf(amount),
          status,
          String.valueOf(paidAt),
          String.valueOf(expiresAt),
          code);
    }
  }
}
