package fairgate.sale.payment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// The example of ECPay's documentation (developers.ecpay.com.tw/?p=2902).
final class EcpayCheckMacTest {
  private static final String KEY = "pwFHCqoQZGmho4w6";
  private static final String IV = "EkRm7iFT261dpevs";

  private static Map<String, String> example() {
    Map<String, String> fields = new HashMap<>();
    fields.put("TradeDesc", "\u4fc3\u92b7\u65b9\u6848");
    fields.put("PaymentType", "aio");
    fields.put("MerchantTradeDate", "2023/03/12 15:30:23");
    fields.put("MerchantTradeNo", "ecpay20230312153023");
    fields.put("MerchantID", "3002607");
    fields.put("ReturnURL", "https://www.ecpay.com.tw/receive.php");
    fields.put("ItemName", "Apple iphone 15");
    fields.put("TotalAmount", "30000");
    fields.put("ChoosePayment", "ALL");
    fields.put("EncryptType", "1");
    return fields;
  }

  @Test
  void theExampleHasTheDocumentedValue() {
    Map<String, String> fields = example();
    String value = "6C51C9E6888DE861FD62FB1DD17029FC742634498FD813DC43D4243B5685B840";
    assertThat(EcpayCheckMac.of(fields, KEY, IV)).isEqualTo(value);
    fields.put(EcpayCheckMac.FIELD, value);
    assertThat(EcpayCheckMac.isValid(fields, KEY, IV)).isTrue();
    fields.put("TotalAmount", "1");
    assertThat(EcpayCheckMac.isValid(fields, KEY, IV)).isFalse();
  }

  @Test
  void aMessageWithoutValueIsNotValid() {
    assertThat(EcpayCheckMac.isValid(example(), KEY, IV)).isFalse();
    assertThat(EcpayCheckMac.isValid(Map.of(), KEY, IV)).isFalse();
  }
}
