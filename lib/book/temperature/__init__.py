"""What the chapter *How sharp should attention be?* alone needs: plots, exercises, verdicts and two bounds."""
