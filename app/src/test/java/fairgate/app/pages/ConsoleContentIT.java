package fairgate.app.pages;

import static fairgate.app.pages.Chromium.barriers;
import static fairgate.app.pages.Chromium.shoot;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.FilePayload;
import fairgate.testkit.Eventually;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;

/// An operator writes in the console what buyers read, in Chromium.
class ConsoleContentIT extends ConsoleScene {
  @Test
  void aNewSaleHasItsTextsAndARefusalStandsAtItsField() {
    Page page = console(1280, "en");
    page.navigate("/console/sales/new");
    page.fill("[name=name]", "Night Owl");
    page.fill("[name=total_stock]", "2");
    page.fill("[name='policy.opens_at']", "2099-01-01T10:00:30");
    assertThat(page.textContent("#preview-opens")).contains("2099");
    page.fill("[name='policy.opens_at']", "2020-01-01T10:00:30");
    assertThat(page.textContent("#preview-opens")).contains("at once");
    page.fill("[name='policy.opens_at']", "");
    refusesThePrices(page);
    page.click("details.part summary:has-text('What buyers read')");
    page.fill("[name='content.names.zh-Hant']", "夜貓演唱會");
    page.fill("[name='content.venue']", "Taipei Arena");
    page.fill("[name='content.images']", "https://img.example/1.jpg\nftp://img.example/2.jpg");
    page.click(".sale-form .button.primary");
    page.waitForSelector("[name='content.images'][aria-invalid=true]");
    assertThat(page.textContent(".field-problem:not([hidden])")).contains("https://");
    shoot(page, "console-content-refused");
    page.fill("[name='content.images']", "https://img.example/1.jpg");
    plansBatchesAndTimes(page);
    page.click(".sale-form .button.primary");
    page.waitForSelector("#act-open");
    String sale = page.url().replaceFirst(".*/", "");
    assertThat(server.admin("GET", "/products/" + sale, ""))
        .contains("\"payment_window_seconds\":1200", "\"purchase_window_seconds\":")
        .contains("\"batches\":[{\"at\":\"2098-01-01T10:00:30Z\",\"quantity\":2}]");
    assertThat(server.admin("GET", "/products/" + sale + "/content", ""))
        .contains("夜貓演唱會", "Taipei Arena", "https://img.example/1.jpg")
        .doesNotContain("ftp:");
    chromium.forgive();
  }

  /// Empty fields name their default, a time has a unit, and the batches are those of the stock.
  private static void plansBatchesAndTimes(Page page) {
    page.click("details.part summary:has-text('Limits')");
    assertThat(page.getAttribute("[name='policy.max_quantity']", "placeholder"))
        .isEqualTo("Default: 1");
    page.selectOption("[name='policy.preset']", "flash");
    page.click("details.part summary:has-text('Pace of the line')");
    assertThat(page.getAttribute("[name='policy.ready_slots']", "placeholder"))
        .matches("Default: [0-9,]{2,}");
    page.selectOption("[name='policy.preset']", "queue");
    page.fill("[name='policy.payment_window_seconds']", "20");
    page.selectOption(".duration:has([name='policy.payment_window_seconds']) select", "60");
    assertThat(page.textContent(".sale-form")).contains("Times are those of this device: UTC");
    page.click("[data-add='policy.batches']");
    page.fill("[name='policy.batches.at']", "2098-01-01T10:00:30");
    page.fill("[name='policy.batches.quantity']", "1");
    page.click("[data-add='policy.batches']");
    page.click(".value-rows > .fields:nth-child(2) > .button");
    page.click(".sale-form .button.primary");
    page.waitForSelector("[name=total_stock][aria-invalid=true]");
    page.fill("[name='policy.batches.quantity']", "2");
    shoot(page, "console-sale-batches");
  }

  /// The form refuses prices that it could not send, and a payment of nothing.
  private static void refusesThePrices(Page page) {
    for (String price : List.of("1.005", "0.004", "-1", "1e15")) {
      page.fill("[name=price]", price);
      page.click(".sale-form .button.primary");
      page.waitForSelector("[name=price][aria-invalid=true]");
      assertThat(page.textContent(".field-problem:not([hidden])"))
          .as(price)
          .contains(
              price.contains(".") ? "smallest amount of this currency is NT$0.01" : "between");
    }
    page.fill("[name=price]", "0");
    page.click(".sale-form .button.primary");
    page.waitForSelector("[name='policy.payment'][aria-invalid=true]");
    page.fill("[name=price]", "1.1");
  }

  @Test
  void thePriceIsInTheDecimalsOfTheServerNotOfTheBrowser() {
    server.createProduct("100", 50, "{\"preset\":\"queue\"}");
    Page page = console(1280, "en");
    page.navigate("/console/sales/100/edit");
    page.waitForSelector(".sale-form");
    page.fill("[name=currency]", "NTD");
    page.click(".sale-form .button.primary");
    page.click("dialog .primary");
    page.waitForSelector("[name=currency][aria-invalid=true]");
    page.fill("[name=currency]", "IDR");
    page.fill("[name=price]", "150000");
    page.click(".sale-form .button.primary");
    page.waitForSelector("dialog .diff ins:has-text('150,000')");
    page.click("dialog .primary");
    page.waitForSelector(".toast .button:has-text('Undo')");
    assertThat(server.admin("GET", "/products/100", ""))
        .contains("\"price\":15000000", "\"currency\":\"IDR\",\"currency_exponent\":2");
    page.navigate("/console");
    page.waitForSelector(".list td:has-text('150,000')");
    chromium.forgive();
  }

  @Test
  void equalBatchesAreWrittenInShortAndTurnsAreSpread() {
    server.createProduct("200", 50, "{\"preset\":\"flash\"}");
    Page page = console(1280, "en");
    page.navigate("/console/sales/200/edit");
    page.waitForSelector(".sale-form");
    page.fill("[name='policy.batches.count']", "4");
    page.fill("[name='policy.batches.gap_ms.from']", "3");
    page.fill("[name='policy.batches.gap_ms.to']", "4.5");
    page.click(".sale-form .button.primary");
    page.waitForSelector("dialog .diff ins:has-text('4 equal batches, 3 to 4.5 s apart')");
    shoot(page, "console-sale-equal-batches");
    // They begin at the opening, and there is none.
    page.click("dialog .primary");
    page.waitForSelector(".rows .field-problem:not([hidden])");
    page.fill("[name='policy.batches.gap_ms.from']", "0.5");
    page.click(".sale-form .button.primary");
    page.click("dialog .primary");
    page.waitForSelector(".rows .field-problem:has-text('between 1 and 3,600 seconds')");
    page.fill("[name='policy.batches.gap_ms.from']", "3");
    page.fill("[name='policy.opens_at']", "2098-01-01T10:00:30");
    page.click("details.part summary:has-text('Pace of the line')");
    assertThat(page.inputValue("[name='policy.jitter_ms']")).isEqualTo("100");
    page.fill("[name='policy.jitter_ms']", "250");
    page.click(".sale-form .button.primary");
    page.click("dialog .primary");
    page.waitForSelector(".toast .button:has-text('Undo')");
    assertThat(server.admin("GET", "/products/200", ""))
        .contains("\"batches\":[{\"at\":\"2098-01-01T10:00:30Z\",\"quantity\":13},")
        .contains("\"jitter_ms\":250");
    page.click(".toast .button:has-text('Undo')");
    page.waitForSelector(".toast:has-text('undone')");
    assertThat(server.admin("GET", "/products/200", ""))
        .contains("\"batches\":[]", "\"jitter_ms\":100");
    chromium.forgive();
  }

  @Test
  void theDepositOfASaleIsAnAmountOrAPercentage() {
    server.createProduct("300", 50, "{\"preset\":\"queue\"}");
    Page page = console(1280, "en");
    page.navigate("/console/sales/300/edit");
    page.waitForSelector(".sale-form");
    page.fill("[name='policy.deposit.percent']", "20");
    page.click(".sale-form .button.primary");
    page.click("dialog .primary");
    page.waitForSelector(".sale-form .field-problem:has-text('Deposit')");
    page.selectOption("[name='policy.payment']", "required");
    page.fill("[name='policy.deposit.percent']", "");
    page.fill("[name='policy.deposit.amount']", "0.5");
    page.selectOption("[name='policy.deposit.passed']", "kept");
    page.click(".sale-form .button.primary");
    page.waitForSelector("dialog .diff ins:has-text('NT$0.5')");
    shoot(page, "console-sale-deposit");
    page.click("dialog .primary");
    page.waitForSelector(".toast .button:has-text('Undo')");
    assertThat(server.admin("GET", "/products/300", ""))
        .contains("\"deposit\":{\"amount\":50,\"percent\":null,\"passed\":\"kept\"}");
    page.navigate("/console/sales/300");
    page.waitForSelector(".console-facts dd:has-text('NT$0.50 \u00b7 The shop keeps the deposit')");
    page.navigate("/console/sales/300/edit");
    page.waitForSelector(".sale-form");
    assertThat(page.inputValue("[name='policy.deposit.amount']")).isEqualTo("0.5");
    page.click(".sale-form .button.primary");
    page.waitForSelector(".toast:has-text('Nothing')");
    page.fill("[name='policy.deposit.amount']", "");
    page.click(".sale-form .button.primary");
    page.click("dialog .primary");
    page.waitForSelector(".toast .button:has-text('Undo')");
    assertThat(server.admin("GET", "/products/300", "")).doesNotContain("\"deposit\":");
    chromium.forgive();
  }

  @Test
  void aRefundTellsOfTheDepositThatWasTheWholePrice() {
    server.createProduct(
        "400",
        50,
        """
        {"preset": "queue", "payment": "required", "deposit": {"percent": 100},
         "active_capacity": 10, "ready_slots": 10}
        """);
    server.openSale("400");
    Page buyer = chromium.page(new Browser.NewContextOptions(), server.baseUrl(), "en");
    buyer.navigate("/p/400/deposit");
    buyer.click("#pay");
    buyer.waitForSelector("button[value=paid]");
    String deposit = buyer.url().replaceAll(".*/pay/", "");
    buyer.click("button[value=paid]");
    buyer.waitForSelector("#join");
    Page page = console(1280, "en");
    page.navigate("/console/orders");
    page.fill("[name=q]", deposit);
    page.press("[name=q]", "Enter");
    page.waitForSelector("form :text('A deposit of NT$1 in the sale 400: paid, without an order')");
    String order = PageBuyer.buy(buyer, "400", 1).id();
    Eventually.await(
        "the deposit counts",
        () ->
            server.admin("GET", "/products/400/deposits", "").contains("\"counted\":{\"count\":1"));
    page.navigate("/console/orders");
    page.fill("[name=q]", deposit);
    page.press("[name=q]", "Enter");
    page.waitForURL("**/console/orders/" + order);
    page.waitForSelector(".console-facts");
    assertThat(page.textContent(".console-facts"))
        .contains("PriceNT$1", "DepositNT$1 \u00b7 counted towards the price", "RestNT$0")
        .doesNotContain("order.");
    page.click("#refund");
    page.fill("dialog [name=reason]", "the show was moved");
    assertThat(page.textContent("dialog .effect"))
        .contains("The deposit of NT$1 goes back as well.");
    assertThat(page.textContent("dialog [name=what]"))
        .contains("All that is left: NT$1")
        .doesNotContain("A part");
    shoot(page, "console-refund-deposit");
    page.click("dialog .button.danger");
    page.waitForSelector(".badge:has-text('Refunded')");
    chromium.forgive();
  }

  @Test
  void anEditShowsTheTextsAsADifferenceAndCanBeUndone() {
    server.createProduct(
        "500",
        50,
        "{\"opens_at\":\"2090-01-01T12:00:00Z\",\"batches\":{\"count\":2,\"gap_ms\":[1001,1001]}}");
    Page page = console(1280, "en");
    page.navigate("/console/sales/500/edit");
    page.waitForSelector(".sale-form");
    page.fill("[name='content.descriptions.en']", "Doors open at **18:30**.");
    page.fill("[name='content.starts_at']", "2026-12-24T19:00:30");
    page.fill("[name='content.seller']", "Good Music Ltd.");
    page.selectOption("[name='content.tickets.give']", "yes");
    page.fill("[name='content.tickets.transfer_until']", "2026-12-24T17:00:30");
    page.click("details.part summary:has-text('Who comes first')");
    page.click("[data-add='policy.priority']");
    page.fill("[name='policy.priority.name']", "Members");
    page.fill("[name='policy.priority.share']", "30");
    page.fill("[name='policy.priority.until']", "2098-01-01T10:00:30");
    page.click(".sale-form .button.primary");
    page.waitForSelector("dialog .diff ins:has-text('Members · 30 % · Jan 1, 2098')");
    page.waitForSelector("dialog .diff ins:has-text('Good Music Ltd.')");
    // Their times have milliseconds, which the form does not show.
    assertThat(page.textContent("dialog .diff")).doesNotContain("Batches");
    assertThat(barriers(page)).isEmpty();
    shoot(page, "console-content-diff");
    page.click("dialog .primary");
    page.waitForSelector(".toast .button:has-text('Undo')");
    assertThat(server.admin("GET", "/products/500/content", ""))
        .contains("**18:30**", "Good Music Ltd.", "\"transfer_until\":\"2026-12-24T");
    assertThat(server.admin("GET", "/products/500", ""))
        .contains("\"priority\":[{\"name\":\"Members\",\"share\":30,");
    page.click(".toast .button:has-text('Undo')");
    page.waitForSelector(".toast:has-text('Undone')");
    assertThat(server.admin("GET", "/products/500/content", ""))
        .doesNotContain("Good Music Ltd.")
        .contains("\"tickets\":null");
    assertThat(server.admin("GET", "/products/500", "")).contains("\"priority\":[]");
    assertThat(chromium.closePages()).isEmpty();
  }

  @Test
  void aPictureIsUploadedALargeOneSmallerAndAFileThatIsNoneIsRefused() throws IOException {
    server.createProduct("600", 50, "{\"preset\":\"queue\"}");
    Page page = console(390, "en");
    page.navigate("/console/sales/600/edit");
    page.waitForSelector(".sale-form");
    page.setInputFiles("[name=picture]", file("notes.png", "no picture".getBytes(UTF_8)));
    page.waitForSelector(".field-problem:has-text('no PNG, JPEG, WebP or GIF')");
    page.setInputFiles("[name=picture]", file("notes.jpg", new byte[1_000_001]));
    page.waitForSelector(".field-problem:has-text('cannot read the file as a picture')");
    // The form can be saved without the picture.
    page.fill("[name=name]", "Ticket without a picture");
    page.click(".sale-form .button.primary");
    page.waitForSelector("dialog .diff ins:has-text('Ticket without a picture')");
    page.click("dialog .quiet");
    byte[] large = noise();
    assertThat(large.length).isGreaterThan(1_000_000);
    page.setInputFiles("[name=picture]", file("photo.png", large));
    // Saving waits for the file.
    page.click(".sale-form .button.primary");
    page.waitForSelector("dialog .diff ins:has-text('/pictures/')");
    assertThat(page.textContent("#picture-step")).contains("The picture is uploaded");
    assertThat(page.isVisible(".field-problem:has-text('cannot read')")).isFalse();
    page.click("dialog .primary");
    page.waitForSelector(".toast .button:has-text('Undo')");
    page.navigate("/p/600");
    page.waitForFunction(
        "[...document.images].some(({ src, naturalWidth }) => src.includes('/pictures/') && naturalWidth === 900)");
    chromium.forgive();
  }

  private static FilePayload file(String name, byte[] bytes) {
    return new FilePayload(name, "image/png", bytes);
  }

  /// A picture that no format makes small without a loss.
  private static byte[] noise() throws IOException {
    Random random = new Random(7);
    BufferedImage picture = new BufferedImage(900, 600, BufferedImage.TYPE_INT_RGB);
    for (int i = 0; i < 900 * 600; i++) {
      picture.setRGB(i % 900, i / 900, random.nextInt());
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    assertThat(ImageIO.write(picture, "png", out)).isTrue();
    return out.toByteArray();
  }

  @Test
  void theFormIsReadableInThreeLanguagesAndOnATelephone() {
    server.createProduct("700", 50, "{\"preset\":\"queue\"}");
    Page page = console(1280, "en");
    for (Chromium.Look each : Chromium.LOOKS) {
      String locale = each.locale();
      int width = each.width();
      Chromium.look(page, server, each);
      page.navigate("/console/sales/700/edit");
      page.waitForSelector(".sale-form");
      assertThat(page.isVisible("[name='content.venue']")).isTrue();
      assertThat(barriers(page)).as(locale).isEmpty();
      shoot(page, "console-content-" + locale + "-" + width);
    }
    assertThat(chromium.closePages()).isEmpty();
  }
}
