package fairgate.redeem.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Imports that stop, meet each other, and meet what was redeemed, on a real PostgreSQL.
@Tag("slow")
class ImportRunsTest {
  @TempDir Path spool;
  private ImportTestServer desk;

  @BeforeEach
  void open() {
    desk = ImportTestServer.open(spool);
  }

  @AfterEach
  void close() {
    desk.close();
  }

  @Test
  void anInterruptedImportGoesOnWhereItStopped() {
    String file = ImportTestServer.rows(50);
    ImportJob whole = desk.finished(desk.submit(file, ImportOptions.defaults()));
    // As a killed server leaves it: 20 rows committed, nobody at it for a while.
    desk.sql("DELETE FROM orders WHERE order_id >= 'TB0000000000020'");
    desk.sql(
        """
        UPDATE order_imports SET state = 'running', rows_done = 20, added = 20,
          finished_at = NULL, updated_at = now() - interval '1 minute'\
        """);
    assertThat(desk.imports.find(whole.id()).orElseThrow().state())
        .isEqualTo(ImportJob.State.INTERRUPTED);
    ImportJob resumed = desk.finished(desk.submit(file, ImportOptions.defaults()));
    assertThat(resumed.counts()).isEqualTo(ImportTestServer.counts(50, 0, 0, 0, 0, 0));
    assertThat(resumed.rowsDone()).isEqualTo(50);
    assertThat(desk.orders()).hasSize(50);
  }

  @Test
  void twoRunnersNeverCountARowTwice() {
    String file = ImportTestServer.rows(500);
    ImportService.ImportOutcome first = desk.submit(file, ImportOptions.defaults());
    desk.sql("UPDATE order_imports SET updated_at = now() - interval '1 minute'");
    ImportJob job = desk.finished(desk.submit(file, ImportOptions.defaults()));
    assertThat(first).isInstanceOf(ImportService.ImportOutcome.Started.class);
    assertThat(job.counts()).isEqualTo(ImportTestServer.counts(500, 0, 0, 0, 0, 0));
    assertThat(desk.orders()).hasSize(500);
  }

  @Test
  void sellersCodesAreBoundToTheirOrders() {
    ImportJob job =
        desk.take(
            "TB0000000000001,basic,taobao,1,paid,,,CARD-0001",
            "TB0000000000002,basic,taobao,1,paid,,,card 0001",
            "TB0000000000003,basic,taobao,1,paid,,,abc");
    assertThat(job.counts()).isEqualTo(ImportTestServer.counts(1, 0, 0, 0, 2, 0));
    assertThat(desk.errors(job).get(1)).contains("belongs to another order");
    assertThat(desk.errors(job).get(2)).contains("4 to 200");
    ImportJob again = desk.take("TB0000000000001,basic,taobao,1,paid,,,CARD-0002");
    assertThat(desk.errors(again).get(1)).contains("has another code already");
    assertThat(codes()).containsExactly("TB0000000000001 available 0001");
  }

  private List<String> codes() {
    return desk.database.reading(
        db ->
            db
                .query(
                    "SELECT concat_ws(' ', order_id, state, last4) FROM redemption_codes ORDER BY"
                        + " 1")
                .stream()
                .map(row -> row.getString(0))
                .toList());
  }

  @Test
  void whatWasRedeemedKeepsItsProduct() {
    desk.take(ImportTestServer.row(1, "paid"), ImportTestServer.row(2, "paid"));
    redeemed("TB0000000000001");
    redeemed("TB0000000000002");
    ImportJob job =
        desk.take(
            ImportTestServer.row(1, "refunded"),
            ImportTestServer.row(2, "paid").replace("basic", "standard"));
    assertThat(job.counts()).isEqualTo(ImportTestServer.counts(0, 1, 0, 0, 1, 0));
    assertThat(desk.errors(job).get(1)).contains("was redeemed for another product");
  }

  @Test
  void whatWasPaidAndIsClosedWasGivenBack() {
    desk.take(ImportTestServer.row(1, "paid"), ImportTestServer.row(2, "pending"));
    ImportJob job = desk.take(ImportTestServer.row(1, "交易关闭"), ImportTestServer.row(2, "交易关闭"));
    assertThat(job.counts()).isEqualTo(ImportTestServer.counts(0, 2, 0, 0, 0, 0));
    assertThat(desk.orders())
        .containsExactly(
            "taobao TB0000000000001 basic 9950 CNY refunded",
            "taobao TB0000000000002 basic 9950 CNY cancelled");
    assertThat(
            desk.take(ImportTestServer.row(1, "closed"), ImportTestServer.row(2, "closed"))
                .counts())
        .isEqualTo(ImportTestServer.counts(0, 0, 2, 0, 0, 0));
  }

  @Test
  void aRefundTellsWhatItDoesToCodesAndAPaidFileRestoresThem() {
    String paid =
        ImportTestServer.HEADER
            + ImportTestServer.row(1, "paid")
            + "\n"
            + ImportTestServer.row(2, "paid");
    String refund = paid.replace(",paid,", ",refunded,");
    desk.take(paid, ImportOptions.defaults());
    redeemed("TB0000000000001");
    redeemed("TB0000000000002");
    desk.sql("UPDATE redemption_codes SET state = 'activated' WHERE order_id LIKE '%2'");
    ImportJob dry =
        desk.take(refund, new ImportOptions("", "", "", "CNY", "", "", Map.of(), "", false, true));
    assertThat(dry.codes()).isEqualTo(new ImportJob.Codes(1, 0, 1));
    assertThat(codes()).contains("TB0000000000001 assigned ABCD");
    assertThat(desk.take(refund, ImportOptions.defaults()).codes())
        .isEqualTo(new ImportJob.Codes(1, 0, 1));
    assertThat(codes())
        .containsExactly("TB0000000000001 revoked ABCD", "TB0000000000002 activated ABCD");
    // The very same file as in the beginning: another one has changed its orders since.
    ImportService.ImportOutcome again = desk.submit(paid, ImportOptions.defaults());
    assertThat(again).isInstanceOf(ImportService.ImportOutcome.Started.class);
    ImportJob back = desk.finished(again);
    assertThat(back.counts()).isEqualTo(ImportTestServer.counts(0, 2, 0, 0, 0, 0));
    assertThat(back.codes()).isEqualTo(new ImportJob.Codes(0, 1, 0));
    assertThat(codes())
        .containsExactly("TB0000000000001 assigned ABCD", "TB0000000000002 activated ABCD");
    assertThat(desk.submit(paid, ImportOptions.defaults()))
        .isInstanceOf(ImportService.ImportOutcome.Repeated.class);
  }

  @Test
  void whatAnOperatorRevokedStaysRevoked() {
    desk.take(ImportTestServer.row(1, "paid"));
    redeemed("TB0000000000001");
    desk.sql("UPDATE redemption_codes SET state = 'revoked'");
    desk.sql(
        """
        INSERT INTO code_events (code_id, from_state, to_state, actor, reason)
        SELECT id, 'assigned', 'revoked', 'operator@1', 'order refunded' FROM redemption_codes\
        """);
    desk.take(ImportTestServer.row(1, "refunded"));
    assertThat(
            desk.take(
                ImportTestServer.HEADER + ImportTestServer.row(1, "paid") + "\n\n",
                ImportOptions.defaults()))
        .matches(job -> job.codes().equals(ImportJob.Codes.NONE) && job.counts().updated() == 1);
    assertThat(codes()).containsExactly("TB0000000000001 revoked ABCD");
  }

  @Test
  void anImportIsUndoneWithItsCodes() {
    desk.take(
        ImportTestServer.row(1, "paid"),
        ImportTestServer.row(2, "paid"),
        ImportTestServer.row(3, "paid"));
    redeemed("TB0000000000001");
    String mistake =
        ImportTestServer.HEADER
            + String.join(
                "\n",
                ImportTestServer.row(1, "refunded"),
                ImportTestServer.row(2, "refunded"),
                ImportTestServer.row(3, "refunded"),
                ImportTestServer.row(4, "paid") + "CARD-0004",
                ImportTestServer.row(5, "paid"));
    ImportJob wrong = desk.take(mistake, ImportOptions.defaults());
    assertThat(codes()).contains("TB0000000000001 revoked ABCD");
    redeemed("TB0000000000005");
    // Somebody has mended one order since.
    desk.sql("UPDATE orders SET import_hash = 'other.1' WHERE order_id = 'TB0000000000003'");
    ImportService.UndoOutcome.Undone undone =
        (ImportService.UndoOutcome.Undone) desk.imports.undo(wrong.id(), "tester");
    assertThat(undone.job().undoneAt()).isNotNull();
    assertThat(List.of(undone.putBack(), undone.removed(), undone.kept()))
        .containsExactly(2L, 1L, 1L);
    assertThat(undone.codes()).isEqualTo(new ImportJob.Codes(0, 1, 0));
    assertThat(desk.orders())
        .containsExactly(
            "taobao TB0000000000001 basic 9950 CNY paid",
            "taobao TB0000000000002 basic 9950 CNY paid",
            "taobao TB0000000000003 basic 9950 CNY refunded",
            "taobao TB0000000000005 basic 9950 CNY paid");
    assertThat(codes())
        .containsExactly("TB0000000000001 assigned ABCD", "TB0000000000005 assigned ABCD");
    assertThat(desk.imports.undo(wrong.id(), "tester"))
        .matches(
            again -> again instanceof ImportService.UndoOutcome.Undone done && done.putBack() == 0);
    // What was undone can be imported again.
    assertThat(desk.submit(mistake, ImportOptions.defaults()))
        .isInstanceOf(ImportService.ImportOutcome.Started.class);
  }

  @Test
  void onlyAnImportThatChangedSomethingIsUndone() {
    assertThat(desk.imports.undo("nothing", "tester"))
        .isEqualTo(new ImportService.UndoOutcome.Unknown());
    ImportJob dry =
        desk.take(
            ImportTestServer.rows(1),
            new ImportOptions("", "", "", "CNY", "", "", Map.of(), "", false, true));
    assertThat(desk.imports.undo(dry.id(), "tester"))
        .isEqualTo(new ImportService.UndoOutcome.DryRun());
    ImportJob real = desk.take(ImportTestServer.rows(1), ImportOptions.defaults());
    desk.sql("UPDATE order_imports SET state = 'running', updated_at = now() + interval '1 hour'");
    assertThat(desk.imports.undo(real.id(), "tester"))
        .isEqualTo(new ImportService.UndoOutcome.Running());
  }

  @Test
  void anOlderExportDoesNotTakeBackARefund() {
    String march =
        ImportTestServer.row(1, "paid")
            + "\n"
            + ImportTestServer.row(2, "pending").replace(ImportTestServer.PAID, "");
    desk.take(march);
    String newer =
        ImportTestServer.row(9, "paid").replace(ImportTestServer.PAID, "2026-02-01T00:00:00Z");
    desk.take(ImportTestServer.row(2, "paid"), newer);
    desk.take(ImportTestServer.row(1, "refunded"));
    ImportJob old = desk.take(ImportTestServer.HEADER + march + "\n\n", ImportOptions.defaults());
    assertThat(old.counts()).isEqualTo(ImportTestServer.counts(0, 0, 0, 0, 2, 1));
    assertThat(desk.errors(old).get(1)).contains("order TB0000000000001 is refunded. If this file");
    assertThat(desk.orders().getFirst()).endsWith("refunded");
    ImportJob meant =
        desk.take(
            ImportTestServer.HEADER + march,
            new ImportOptions(
                "", "", "", "CNY", "", "", Map.of(), "2026-02-02T00:00:00Z", false, false));
    assertThat(meant.counts()).isEqualTo(ImportTestServer.counts(0, 2, 0, 0, 0, 0));
    assertThat(desk.orders().getFirst()).endsWith("paid");
  }

  @Test
  void aRefundComesInWhateverStandsInTheCodeCell() {
    desk.take(
        ImportTestServer.row(1, "paid") + "CARD-0001",
        ImportTestServer.row(2, "paid") + "CARD-0002");
    ImportJob job =
        desk.take(
            ImportTestServer.row(1, "refunded") + "CARD-0002",
            ImportTestServer.row(2, "refunded") + "other");
    assertThat(job.counts()).isEqualTo(ImportTestServer.counts(0, 2, 0, 0, 0, 0));
    assertThat(desk.orders()).allMatch(order -> order.endsWith("refunded"));
  }

  @Test
  void aSellersCodeGoesToTheNewProductWithItsOrder() {
    desk.take(ImportTestServer.row(1, "paid") + "CARD-0001");
    desk.take(ImportTestServer.row(1, "paid").replace("basic", "standard") + "CARD-0001");
    String product =
        desk.database.reading(
            db -> db.query("SELECT product_id FROM redemption_codes").getFirst().getString(0));
    assertThat(product).isEqualTo("standard");
  }

  @Test
  void anOrderHasTheProductsThatOneFileNames() {
    String[] rows = new String[30];
    for (int i = 0; i < 30; i += 2) {
      rows[i] = ImportTestServer.row(i, "paid");
      rows[i + 1] = ImportTestServer.row(i, "paid").replace("basic", "standard");
    }
    ImportJob first = desk.take(rows);
    assertThat(first.counts()).isEqualTo(ImportTestServer.counts(30, 0, 0, 0, 0, 0));
    assertThat(desk.orders())
        .contains(
            "taobao TB0000000000008 basic 9950 CNY paid",
            "taobao TB0000000000008 standard 9950 CNY paid");
    ImportJob again = desk.take(rows[8], rows[9].replace("paid", "refunded"), rows[10]);
    assertThat(again.counts()).isEqualTo(ImportTestServer.counts(0, 1, 2, 0, 0, 0));
    ImportService.UndoOutcome.Undone undone =
        (ImportService.UndoOutcome.Undone) desk.imports.undo(again.id(), "tester");
    assertThat(undone.putBack()).isEqualTo(1);
    ImportService.UndoOutcome.Undone all =
        (ImportService.UndoOutcome.Undone) desk.imports.undo(first.id(), "tester");
    assertThat(all.removed()).isEqualTo(30);
    assertThat(desk.orders()).isEmpty();
  }

  @Test
  void aFileThatRepeatsAnOrderMayAddProducts() {
    desk.take(ImportTestServer.row(1, "paid"), ImportTestServer.row(2, "paid"));
    redeemed("TB0000000000001");
    String second = ImportTestServer.row(1, "paid").replace("basic", "standard");
    // A batch is ten rows; those of one order stay together.
    String file =
        ImportTestServer.HEADER + "\n".repeat(9) + ImportTestServer.row(1, "paid") + "\n" + second;
    ImportOptions dry = new ImportOptions("", "", "", "CNY", "", "", Map.of(), "", false, true);
    ImportJob rehearsed = desk.take(file, dry);
    ImportJob real = desk.take(file, ImportOptions.defaults());
    assertThat(real.counts())
        .isEqualTo(rehearsed.counts())
        .isEqualTo(ImportTestServer.counts(1, 0, 1, 0, 0, 9));
    assertThat(desk.orders())
        .containsExactly(
            "taobao TB0000000000001 basic 9950 CNY paid",
            "taobao TB0000000000001 standard 9950 CNY paid",
            "taobao TB0000000000002 basic 9950 CNY paid");
    // A rehearsal leaves nothing.
    long left =
        desk.database.reading(
            db -> db.query("SELECT count(*) FROM order_import_rehearsals").getFirst().getLong(0));
    assertThat(left).isZero();
  }

  @Test
  void aProductAloneCorrectsAnOrderOfOneOnly() {
    desk.take(
        ImportTestServer.row(1, "paid"),
        ImportTestServer.row(1, "paid").replace("basic", "standard"),
        ImportTestServer.row(2, "paid"));
    ImportJob wrong =
        desk.take(
            ImportTestServer.row(1, "paid").replace("basic", "deluxe"),
            ImportTestServer.row(2, "paid").replace("basic", "standard"));
    assertThat(wrong.counts()).isEqualTo(ImportTestServer.counts(0, 1, 0, 0, 1, 0));
    assertThat(desk.errors(wrong).get(1)).contains("is known with other products");
    assertThat(desk.orders())
        .containsExactly(
            "taobao TB0000000000001 basic 9950 CNY paid",
            "taobao TB0000000000001 standard 9950 CNY paid",
            "taobao TB0000000000002 standard 9950 CNY paid");
    assertThat(desk.imports.undo(wrong.id(), "tester"))
        .matches(done -> done instanceof ImportService.UndoOutcome.Undone it && it.putBack() == 1);
    assertThat(desk.orders().getLast()).isEqualTo("taobao TB0000000000002 basic 9950 CNY paid");
  }

  @Test
  void eachProductOfAnOrderHasItsOwnCode() {
    String other = ImportTestServer.row(1, "paid").replace("basic", "standard");
    ImportJob job = desk.take(ImportTestServer.row(1, "paid") + "CARD-0001", other + "CARD-0002");
    assertThat(job.counts()).isEqualTo(ImportTestServer.counts(2, 0, 0, 0, 0, 0));
    ImportJob same = desk.take(ImportTestServer.row(1, "paid") + "CARD-0001", other + "card 0001");
    assertThat(same.counts()).isEqualTo(ImportTestServer.counts(0, 0, 1, 0, 1, 0));
    assertThat(desk.errors(same).get(1)).contains("another product");
    assertThat(codes())
        .containsExactly("TB0000000000001 available 0001", "TB0000000000001 available 0002");
  }

  private void redeemed(String order) {
    desk.sql(
        """
        WITH code AS (
          INSERT INTO redemption_codes
            (product_id, platform, order_id, code_hash, code_box, key_id, last4, source, state)
          VALUES ('basic', 'taobao', $1, sha256($1::text::bytea), '', 'k1', 'ABCD', 'generated',
                  'assigned')
          RETURNING id)
        INSERT INTO order_redemptions
          (platform, order_id, product_id, device_id, device, code_id, ip_address)
        SELECT 'taobao', $1, 'basic', 'd', 'd', id, '127.0.0.1' FROM code\
        """,
        order);
  }

  @Test
  void aBodyThatBreaksOffLeavesNothing() {
    InputStream broken =
        new SequenceInputStream(
            new ByteArrayInputStream(new byte[100_000]),
            new InputStream() {
              @Override
              public int read() throws IOException {
                throw new IOException("gone");
              }

              @Override
              public int read(byte[] into, int offset, int length) throws IOException {
                throw new IOException("gone");
              }
            });
    assertThatThrownBy(
            () -> desk.imports.submit(broken, "x.csv", ImportOptions.defaults(), "tester"))
        .hasMessage("gone");
    assertThat(spool).isEmptyDirectory();
    assertThat(desk.imports.newest(10)).isEmpty();
  }
}
