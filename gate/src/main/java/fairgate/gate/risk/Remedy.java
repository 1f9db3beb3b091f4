package fairgate.gate.risk;

import fairgate.kernel.Word;
import java.util.Arrays;
import java.util.Optional;

/// What would lower the risk of a request. Its texts are the messages `risk.help.WORD`.
public enum Remedy implements Word {
  SIGN_IN,
  VERIFY_EMAIL,
  VERIFY_PHONE,
  VERIFY_PERSON,
  ADD_PASSKEY,
  PAY_ORDERS,
  OTHER_NETWORK,
  CURRENT_BROWSER,
  WAIT,
  APPEAL;

  public static Optional<Remedy> named(String word) {
    return Arrays.stream(values()).filter(remedy -> remedy.word().equals(word)).findFirst();
  }
}
