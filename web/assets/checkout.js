// The way to a payment page that is reached by a form: sends the form at once.
document.getElementById('checkout').submit();
