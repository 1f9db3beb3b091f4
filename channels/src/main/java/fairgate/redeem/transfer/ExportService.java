package fairgate.redeem.transfer;

import fairgate.platform.text.SpreadsheetCsv;
import fairgate.redeem.code.CodeVault;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Exports codes as CSV, safe for spreadsheets. Masked: the last characters of a code and the ends
/// of an order number. Unmasked: with a reason, which is recorded together with the actor before
/// the first code is sent.
public final class ExportService {
  private static final int PAGE = 500;
  private static final int SHOWN = 4;
  private static final List<String> HEADER =
      List.of(
          "order_id",
          "platform",
          "product_id",
          "code",
          "state",
          "source",
          "assigned_at",
          "activated_at",
          "expires_at");

  private final PostgresCodeExports exports;
  private final CodeVault vault;

  ExportService(PostgresCodeExports exports, CodeVault vault) {
    this.exports = exports;
    this.vault = vault;
  }

  /// Writes masked codes, the oldest first. Blocks.
  public void writeMasked(ExportFilter filter, String actor, OutputStream out) throws IOException {
    write(exports.begin(actor, true, "", filter), true, filter, out);
  }

  /// Writes whole codes, the oldest first. Blocks. Throws IllegalArgumentException without a
  /// reason.
  public void writeFull(ExportFilter filter, String actor, String reason, OutputStream out)
      throws IOException {
    if (reason.isBlank()) {
      throw new IllegalArgumentException("whole codes leave for a reason only");
    }
    write(exports.begin(actor, false, reason, filter), false, filter, out);
  }

  /// The newest exports, the newest first; blocks.
  public List<ExportRecord> newest(int limit) {
    return exports.newest(limit);
  }

  private void write(long record, boolean masked, ExportFilter filter, OutputStream out)
      throws IOException {
    SpreadsheetCsv csv = new SpreadsheetCsv(out);
    csv.write(HEADER);
    long codes = 0;
    List<PostgresCodeExports.ExportRow> page = exports.page(0, filter, PAGE);
    while (!page.isEmpty()) {
      for (PostgresCodeExports.ExportRow code : page) {
        csv.write(cells(code, masked));
      }
      codes += page.size();
      page = exports.page(page.getLast().id(), filter, PAGE);
    }
    csv.flush();
    exports.end(record, codes);
  }

  private List<String> cells(PostgresCodeExports.ExportRow code, boolean masked) {
    PostgresCodeExports.ExportRow.Life life = code.life();
    String order = code.names().orderId();
    return List.of(
        masked ? masked(order) : order,
        code.names().platform(),
        code.names().productId(),
        masked ? "******" + code.last4() : vault.open(code.keyId(), code.hash(), code.box()),
        life.state(),
        life.source(),
        life.assignedAt(),
        life.activatedAt(),
        life.expiresAt());
  }

  /// The ends of an order number; of a short one less.
  private static String masked(String order) {
    int shown = Math.min(SHOWN, order.length() / 3);
    return order.isEmpty()
        ? ""
        : order.substring(0, Math.min(2, shown)) + "****" + order.substring(order.length() - shown);
  }

  /// Which codes are taken out.
  ///
  /// @param product of this product only; empty = of all
  /// @param state in this state only; empty = in any
  public record ExportFilter(String product, String state) {
    public static final ExportFilter ALL = new ExportFilter("", "");

    @Override
    public String toString() {
      return "product=" + product + " state=" + state;
    }
  }

  /// The record of an export. Times are RFC 3339.
  ///
  /// @param reason as given by the actor; empty for a masked export
  /// @param finishedAt empty for an export that was cut off
  /// @param codes the number of codes; null for an export that was cut off
  public record ExportRecord(
      String actor,
      boolean masked,
      String reason,
      String filter,
      String begunAt,
      String finishedAt,
      @Nullable Long codes) {}
}
